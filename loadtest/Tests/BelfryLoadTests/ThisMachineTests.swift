import LoadReport
import Testing

@testable import BelfryLoad

@Suite struct ThisMachineTests {
    @Test func `noise in a run is relative to the fastest time in the whole run`() {
        #expect(NoiseLog.ratios([[10, 12], [20, 20], [15, 10]]) == [1.2, 2, 1.5])
        #expect(NoiseLog.ratios([]) == [])
    }

    @Test func `the processor's name is the first one listed`() {
        let information = "processor\t: 0\nvendor_id\t: X\nmodel name\t: AMD EPYC: 7B13\n\nmodel name\t: other\n"
        #expect(Machine.processor(in: information) == "AMD EPYC: 7B13")
        #expect(Machine.processor(in: "processor: 0\nmodel name\t:\n") == nil)
        #expect(Machine.processor(in: "") == nil)
    }

    @Test func `a machine is virtual if the processor's flags say so`() {
        #expect(Machine.isVirtual("model name\t: X\nflags\t\t: fpu vme hypervisor lahf_lm\n"))
        #expect(!Machine.isVirtual("model name\t: hypervisor\nflags\t\t: fpu vme\n"))
    }

    @Test func `the file system is the nearest mount above the path`() {
        let mounts = "/dev/vda / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\nx /tmp/a xfs rw 0 0\nproc /proc proc rw 0 0\n"
        #expect(Machine.fileSystem(of: "/tmp", mounts: mounts) == "tmpfs")
        #expect(Machine.fileSystem(of: "/tmp/ab", mounts: mounts) == "tmpfs")
        #expect(Machine.fileSystem(of: "/tmp/a/b", mounts: mounts) == "xfs")
        #expect(Machine.fileSystem(of: "/var", mounts: mounts) == "ext4")
        #expect(Machine.fileSystem(of: "/var", mounts: "nothing\n") == nil)
    }

    @Test func `noise is the ratio of the slowest to the fastest`() {
        #expect(Noise.ratio([10, 30, 20]) == 3)
        #expect(Noise.ratio([]) == 1)
        #expect(Noise.ratio([0, 1]) == 1)
    }

    @Test func `this machine can be described`() {
        let machine = Machine.current()
        #expect(machine.noise >= 1)
        #expect(machine.cores > 0)
        #expect(machine.memory > 1 << 20)
        #expect(machine.kernel.hasPrefix("Linux "))
        #expect(!machine.processor.isEmpty)
    }
}
