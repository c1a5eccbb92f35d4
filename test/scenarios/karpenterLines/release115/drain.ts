import type { ReleaseLine } from './releaseLine.ts'

export const DRAIN: readonly ReleaseLine[] = [
  { line: 'DT-01', state: 'missing', what: 'a forced deletion passes PodDisruptionBudgets' },
  { line: 'DT-02', state: 'missing', what: 'an eviction becomes a forced deletion in time' },
  { line: 'DT-03', state: 'missing', what: 'a later deadline replaces none' },
  { line: 'DT-04', state: 'missing', what: 'a pod that is gone is not tried again' },
  { line: 'DT-05', state: 'missing', what: 'pods past their deadline do not wait for earlier tiers' },
  {
    line: 'DT-06',
    state: 'done',
    what: 'the time-out of a reboot forces no pod',
    shown: {
      'shared/engine/lifecycle/reboot.test.ts': ['evicts pods until its bound is over, deletes none by force'],
      'test/crash/reboots.test.ts': ['EE-11 leaves a pod that must not be evicted on the node'],
    },
  },
  { line: 'DT-07', state: 'missing', what: 'only the pod of the same uid is deleted' },
  { line: 'DT-08', state: 'missing', what: 'a do-not-disrupt pod is looked at again until it may or must go' },
]
