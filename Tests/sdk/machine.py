"""A machine with a real systemd: this machine's files, with separate processes, network and mounts. Requires root."""

import contextlib
import ctypes
import os
import pathlib
import subprocess
import time

from belfry import DEADLINE

CLONE_NEWNET = 0x40000000

# Writes stay in memory and disappear with the machine. pivot_root is used because user namespaces (PrivateUsers=) do
# not work under chroot, and mounts are shared because a child of systemd mounts credentials.
BOOT = r"""
set -e
mount --make-rprivate /
cd "$1"
mount -t tmpfs tmpfs .
mkdir upper work root
mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
cd root
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
for folder in run dev tmp; do mount -t tmpfs -o mode=755 tmpfs "$folder"; done
chmod 1777 tmp
for device in null zero full random urandom tty; do cp -a "/dev/$device" dev/; done
mkdir dev/pts dev/shm old
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s null dev/console
ip link set lo up
# Disable the host's services, and those that change the kernel for the whole host.
rm -rf etc/systemd/system/*.wants
for service in systemd-modules-load systemd-remount-fs systemd-sysctl systemd-update-utmp; do
    ln -sf /dev/null "etc/systemd/system/$service.service"
done
: >etc/machine-id
cp -r "$2"/. .
pivot_root . old
cd /
umount -l old
mount --make-rshared /
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --log-target=journal --show-status=no --unit=basic.target
"""


class Machine:
    def __init__(self, folder: pathlib.Path, files: pathlib.Path):
        """`folder` is an empty folder for the machine's use; `files` are copied over its root."""
        self.cgroup = cgroups() / f"belfry-{os.getpid()}-{id(self)}"
        self.cgroup.mkdir()
        self.log = folder / "log"
        root = folder / "root"
        root.mkdir()
        # Its cgroup becomes the root of the cgroups it sees.
        self.process = subprocess.Popen(
            ["bash", "-c", 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"', "bash", self.cgroup, "unshare", "--mount", "--pid",
             "--uts", "--ipc", "--net", "--cgroup", "--fork", "--kill-child", "bash", "-c", BOOT, "bash", root, files],
            stdin=subprocess.DEVNULL, stdout=self.log.open("ab"), stderr=subprocess.STDOUT, start_new_session=True)
        try:
            self.pid = self._child()
            self._started()
        except BaseException:
            self.stop()
            raise

    def _child(self) -> int:
        """Returns the process id of systemd as seen from the host."""
        deadline = time.monotonic() + DEADLINE
        path = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        while time.monotonic() < deadline and self.process.poll() is None:
            for child in path.read_text().split():
                if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                    return int(child)
            time.sleep(0.02)
        raise AssertionError(f"systemd has not begun: {self.log.read_text()}")

    def _started(self):
        deadline = time.monotonic() + 3 * DEADLINE
        state = ""
        while time.monotonic() < deadline:
            state = self.run("systemctl", "is-system-running", check=False)
            if state.strip() in ("running", "degraded"):
                return
            time.sleep(0.05)
        raise AssertionError(f"systemd does not come up: {state} {self.log.read_text()}")

    def run(self, *command: str | os.PathLike, check: bool = True, seconds: float = 6 * DEADLINE) -> str:
        """Runs a command and returns its output, including stderr."""
        done = subprocess.run(
            ["nsenter", "-t", str(self.pid), "-m", "-p", "-u", "-i", "-n", "-C", "-r", "-w", "env", "-i",
             "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds)
        assert not check or done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}"
        return done.stdout

    def write(self, path: str, text: str):
        place = pathlib.Path(f"/proc/{self.pid}/root{path}")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def show(self, unit: str, name: str) -> str:
        return self.run("systemctl", "show", "--value", "-p", name, unit).strip()

    @contextlib.contextmanager
    def network(self):
        """Makes sockets created by this thread in the meantime belong to the machine's network."""
        with open("/proc/thread-self/ns/net") as here, open(f"/proc/{self.pid}/ns/net") as there:
            enter(there.fileno())
            try:
                yield
            finally:
                enter(here.fileno())

    def stop(self):
        # When its first process ends, all its processes end.
        self.process.kill()
        self.process.wait()
        deadline = time.monotonic() + DEADLINE
        folders = [pathlib.Path(folder) for folder, _, _ in os.walk(self.cgroup, topdown=False)]
        for folder in folders:
            while True:
                try:
                    folder.rmdir()
                    break
                except OSError:
                    assert time.monotonic() < deadline, f"{folder} is still in use"
                    time.sleep(0.02)


def enter(network: int):
    library = ctypes.CDLL(None, use_errno=True)
    if library.setns(network, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def cgroups() -> pathlib.Path:
    """Returns where cgroups v2 are mounted on the host."""
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2":
            return pathlib.Path(place)
    raise AssertionError("cgroup2 is not mounted: systemd needs it")
