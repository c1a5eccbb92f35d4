import type { ReleaseLine } from './releaseLine.ts'

export const POLICIES: readonly ReleaseLine[] = [
  {
    line: 'RM-01',
    state: 'done',
    what: 'each invalid set of policies is refused, with index and policy, several errors together',
    shown: { 'functions/repairPoliciesSetting.test.ts': ['RM-01'], 'shared/engine/cluster/repairPolicies.test.ts': ['RM-01'] },
  },
  {
    line: 'RM-02',
    state: 'done',
    what: 'a policy with a matching reason comes before the fallback, also while it waits',
    shown: { 'shared/engine/cluster/repairPolicies.test.ts': ['RM-02'] },
  },
  {
    line: 'RM-03',
    state: 'done',
    what: 'another condition type or status matches no policy',
    shown: { 'shared/engine/cluster/repairPolicies.test.ts': ['RM-03'] },
  },
  {
    line: 'RM-04',
    state: 'done',
    what: 'the fallback serves other condition types with its own toleration, bound and priority',
    shown: { 'shared/engine/cluster/repairPolicies.test.ts': ['RM-04'] },
  },
  {
    line: 'RM-05',
    state: 'done',
    what: 'of several conditions the most disruptive action governs, then priority, eligibility, type',
    shown: { 'shared/engine/cluster/repairPolicies.test.ts': ['RM-05'] },
  },
  {
    line: 'RM-06',
    state: 'done',
    what: 'the shortest bound of all eligible policies holds',
    shown: { 'shared/engine/cluster/repairPolicies.test.ts': ['RM-06'] },
  },
  {
    line: 'RM-07',
    state: 'done',
    what: 'the score grows with the rank of the priority and with the age',
    shown: { 'shared/engine/cluster/repairPolicies.test.ts': ['RM-07'] },
  },
  {
    line: 'RM-08',
    state: 'done',
    what: 'a condition without a transition time counts from the creation of the node',
    shown: { 'shared/engine/cluster/repairPolicies.test.ts': ['RM-08'] },
  },
  {
    line: 'RM-09',
    state: 'done',
    what: 'eligibility follows from the live condition after a restart',
    shown: { 'shared/engine/cluster/repairPolicies.test.ts': ['RM-09'] },
  },
  {
    line: 'RM-10',
    state: 'done',
    what: 'heartbeat, message and labels do not change eligibility; a new reason keeps the age',
    shown: { 'shared/engine/cluster/repairPolicies.test.ts': ['RM-10'] },
  },
  {
    line: 'RM-11',
    state: 'done',
    what: 'a toleration does not end before the last reboot and the toleration',
    shown: { 'shared/engine/repair/reboots.test.ts': ['RM-11 waits for its toleration again after a reboot'] },
  },
  {
    line: 'RM-12',
    state: 'differs',
    what: 'an empty or invalid set stops the start if repair is on, and only then',
    why: 'an invalid set is refused by the name of its setting, as any setting is, also while repair is off',
    shown: { 'functions/repairPoliciesSetting.test.ts': ['RM-01'] },
  },
  {
    line: 'RM-13',
    state: 'done',
    what: 'replace outranks reboot; an unknown action is a bug',
    shown: { 'shared/engine/cluster/repairPolicies.test.ts': ['RM-13'] },
  },
]
