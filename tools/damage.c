#include "damage.h"
#include "cli.h"

#define SHOWN 10

bool damage_warn(const store_t *s, const char *path, const char *then) {
  const store_damage_t *bad;
  uint32_t count = s ? store_damaged(s, &bad) : 0;
  for (uint32_t i = 0; i < count && i < SHOWN; i++)
    if (bad[i].key[0])
      cli_say("%s: run %s %s (%s)", path, bad[i].key, then, bad[i].why);
    else
      cli_say("%s: the file is damaged; `gmmu store repair` mends it (%s)", path, bad[i].why);
  if (count > SHOWN) cli_say("%s: and %u more; `gmmu store check` names them", path, count - SHOWN);
  return count > 0;
}
