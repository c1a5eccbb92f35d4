import type { ReleaseLine } from './releaseLine.ts'

export const POLICIES: readonly ReleaseLine[] = [
  { line: 'RM-01', state: 'missing', what: 'each invalid set of policies is refused, with index and policy, several errors together' },
  { line: 'RM-02', state: 'missing', what: 'a policy with a matching reason comes before the fallback, also while it waits' },
  { line: 'RM-03', state: 'missing', what: 'another condition type or status matches no policy' },
  { line: 'RM-04', state: 'missing', what: 'the fallback serves other condition types with its own toleration, bound and priority' },
  { line: 'RM-05', state: 'missing', what: 'of several conditions the most disruptive action governs, then priority, eligibility, type' },
  { line: 'RM-06', state: 'missing', what: 'the shortest bound of all eligible policies holds' },
  { line: 'RM-07', state: 'missing', what: 'the score grows with the rank of the priority and with the age' },
  { line: 'RM-08', state: 'missing', what: 'a condition without a transition time counts from the creation of the node' },
  { line: 'RM-09', state: 'missing', what: 'eligibility follows from the live condition after a restart' },
  { line: 'RM-10', state: 'missing', what: 'heartbeat, message and labels do not change eligibility; a new reason keeps the age' },
  {
    line: 'RM-11',
    state: 'done',
    what: 'a toleration does not end before the last reboot and the toleration',
    shown: { 'shared/engine/disruption/repair/reboots.test.ts': ['RM-11 waits for its toleration again after a reboot'] },
  },
  { line: 'RM-12', state: 'missing', what: 'an empty or invalid set stops the start if repair is on, and only then' },
  { line: 'RM-13', state: 'missing', what: 'replace outranks reboot; an unknown action is a bug' },
]
