/* Preloaded into a process: fsync and fdatasync fail with EIO while the file named by EIO_SWITCH exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int failing(void) {
  const char *path = getenv("EIO_SWITCH");
  return path && access(path, F_OK) == 0;
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  if (failing()) { errno = EIO; return -1; }
  return real(fd);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  if (failing()) { errno = EIO; return -1; }
  return real(fd);
}
