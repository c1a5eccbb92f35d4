import type { ReleaseLine } from './releaseLine.ts'

export const DRAIN: readonly ReleaseLine[] = [
  {
    line: 'DT-01',
    state: 'done',
    what: 'a forced deletion passes PodDisruptionBudgets',
    shown: {
      'shared/flows/lifecycle/evictions.test.ts': ['EV-10: deletes a pod whatever its budget says'],
    },
  },
  {
    line: 'DT-02',
    state: 'done',
    what: 'an eviction becomes a forced deletion in time',
    shown: {
      'shared/flows/lifecycle/evictions.test.ts': ['EV-11: that comes later than the first eviction deletes the pod'],
    },
  },
  {
    line: 'DT-03',
    state: 'done',
    what: 'a later deadline replaces none',
    shown: {
      'shared/flows/lifecycle/evictions.test.ts': ['EV-12: stays where somebody asks for a later one'],
    },
  },
  {
    line: 'DT-04',
    state: 'done',
    what: 'a pod that is gone is not tried again',
    shown: {
      'shared/flows/lifecycle/evictions.test.ts': ['EV-13: of a pod that has gone meanwhile is met'],
    },
  },
  {
    line: 'DT-05',
    state: 'done',
    what: 'pods past their deadline do not wait for earlier tiers',
    shown: {
      'shared/engine/lifecycle/termination.test.ts': [
        'NT-23 deletes pods that would outlast it, whatever protects them and whichever tier they are of',
      ],
    },
  },
  {
    line: 'DT-06',
    state: 'done',
    what: 'the time-out of a reboot forces no pod',
    shown: {
      'shared/engine/lifecycle/reboot.test.ts': ['evicts pods until its bound is over, deletes none by force'],
      'test/crash/reboots.test.ts': ['EE-11 leaves a pod that must not be evicted on the node'],
    },
  },
  {
    line: 'DT-07',
    state: 'done',
    what: 'only the pod of the same uid is deleted',
    shown: {
      'test/conformance/clusterApiPods.ts': ['are gone when another pod has the name'],
    },
  },
  {
    line: 'DT-08',
    state: 'done',
    what: 'a do-not-disrupt pod is looked at again until it may or must go',
    shown: {
      'shared/engine/lifecycle/drain.test.ts': ['is when a pod that must not be disrupted for a time may go, with a deadline and without'],
    },
  },
]
