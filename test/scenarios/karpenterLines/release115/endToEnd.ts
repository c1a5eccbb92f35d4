import type { ReleaseLine } from './releaseLine.ts'

export const END_TO_END: readonly ReleaseLine[] = [
  { line: 'EE-01', state: 'missing', what: 'one unhealthy node of five is replaced, and its pods run again' },
  { line: 'EE-02', state: 'missing', what: 'the replacement joins before the old node begins to go' },
  { line: 'EE-03', state: 'missing', what: 'two of five: held; one heals: the other is repaired' },
  { line: 'EE-04', state: 'missing', what: 'do-not-disrupt pods hold the drain until the bound' },
  { line: 'EE-05', state: 'missing', what: 'do-not-repair holds' },
  { line: 'EE-06', state: 'missing', what: 'a budget of 0 holds, until it is lifted' },
  { line: 'EE-07', state: 'missing', what: 'do-not-disrupt on the node does not hold' },
  { line: 'EE-08', state: 'missing', what: 'Ready False and Unknown are repaired' },
  { line: 'EE-09', state: 'missing', what: 'a reboot in place: same claim and node, another boot' },
  { line: 'EE-10', state: 'missing', what: 'two reboots, then a replacement' },
  { line: 'EE-11', state: 'missing', what: 'a pod that nothing evicts is there after the reboot' },
  { line: 'EE-12', state: 'missing', what: 'a budget of 1: one reboot at a time' },
  { line: 'EE-13', state: 'missing', what: 'a static pool at its limit deletes first, and never exceeds the limit' },
  { line: 'EE-14', state: 'missing', what: 'a default spread makes a node for each pod' },
]
