#pragma once

#include <spawn.h>

/// `posix_spawn_file_actions_addclosefrom_np`, which Swift's Glibc module does not declare.
int spawn_file_actions_addclosefrom(posix_spawn_file_actions_t *actions, int from);
