#include "driver/driver.h"
#include <dlfcn.h>

#define SM_COUNT 16 /* CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT */

int driver_failed(err_t *e, const char *what, int code) {
  return err_set(e, GMMU_EIO, "the CUDA driver could not %s (its error %d)", what, code);
}

static int open_library(driver_t *d, err_t *e) {
  d->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!d->library)
    return err_set(e, GMMU_ENOENT,
                   "this computer has no CUDA driver (libcuda.so.1 cannot be opened)");
#define X(name, args)                                                                              \
  *(void **)(void *)&d->name = dlsym(d->library, #name);                                           \
  if (!d->name) return err_set(e, GMMU_ENOENT, "this CUDA driver is too old: it lacks " #name);
  DRIVER_CALLS(X)
#undef X
  return GMMU_OK;
}

int driver_open(driver_t *d, uint32_t ordinal, err_t *e) {
  int sms = 0, rc = open_library(d, e);
  if (rc < 0) return rc;
  rc = d->cuInit(0);
  if (rc) return driver_failed(e, "start: there may be no GPU", rc);
  rc = d->cuDeviceGet(&d->device, (int)ordinal);
  if (rc) return driver_failed(e, "find this GPU", rc);
  rc = d->cuDevicePrimaryCtxRetain(&d->context, d->device);
  d->retained = !rc;
  if (!rc) rc = d->cuCtxSetCurrent(d->context);
  if (!rc) rc = d->cuDeviceGetAttribute(&sms, SM_COUNT, d->device);
  d->sms = (uint32_t)sms;
  return rc ? driver_failed(e, "open this GPU", rc) : GMMU_OK;
}

void driver_close(driver_t *d) {
  if (d->retained) d->cuDevicePrimaryCtxRelease(d->device);
  if (d->library) dlclose(d->library);
}
