#ifndef GMMU_BASE_POLICY_H
#define GMMU_BASE_POLICY_H
/* The table of a kind of policies, in one source of its room. A policy is a row of the list and a
 * file of its own; no header names it, so adding one compiles little. Behind the rows is room for
 * those of plug-ins (lab/plugin.h), which are entered before the first machine is made. */
#define POLICY_ROOM       16
#define POLICY_EXTERN_(p) extern const policy_ops_t p;
#define POLICY_ROW_(p)    &p,
#define POLICY_ONE_(p)    +1
/* `table` of `type`, NULL-terminated, with the rows X(policy) of list(X). */
#define POLICY_TABLE(type, table, list)                                                            \
  typedef type policy_ops_t;                                                                       \
  list(POLICY_EXTERN_)                                                                             \
      const type *table[0 list(POLICY_ONE_) + POLICY_ROOM + 1] = {list(POLICY_ROW_) NULL};
#endif
