import type { ReleaseLine } from './releaseLine.ts'

export const END_TO_END: readonly ReleaseLine[] = [
  {
    line: 'EE-01',
    state: 'done',
    what: 'one unhealthy node of five is replaced, and its pods run again',
    shown: { 'test/crash/crash.test.ts': ['EE-02'], 'shared/engine/repair/repairHolds.test.ts': ['RP-10'] },
  },
  {
    line: 'EE-02',
    state: 'done',
    what: 'the replacement joins before the old node begins to go',
    shown: { 'test/crash/crash.test.ts': ['EE-02'] },
  },
  {
    line: 'EE-03',
    state: 'done',
    what: 'two of five: held; one heals: the other is repaired',
    shown: { 'shared/engine/repair/repairHolds.test.ts': ['RP-13', 'RP-14'] },
  },
  {
    line: 'EE-04',
    state: 'done',
    what: 'do-not-disrupt pods hold the drain until the bound',
    shown: { 'test/crash/crash.test.ts': ['EE-04'] },
  },
  { line: 'EE-05', state: 'done', what: 'do-not-repair holds', shown: { 'shared/engine/repair/repairHolds.test.ts': ['EE-05'] } },
  {
    line: 'EE-06',
    state: 'done',
    what: 'a budget of 0 holds, until it is lifted',
    shown: { 'shared/engine/repair/repairHolds.test.ts': ['EE-06'] },
  },
  {
    line: 'EE-07',
    state: 'done',
    what: 'do-not-disrupt on the node does not hold',
    shown: { 'test/crash/crash.test.ts': ['EE-07'], 'shared/engine/repair/repair.test.ts': ['RP-08'] },
  },
  {
    line: 'EE-08',
    state: 'done',
    what: 'Ready False and Unknown are repaired',
    shown: { 'shared/engine/repair/repair.test.ts': ['EE-08'], 'test/crash/crash.test.ts': ['EE-02'] },
  },
  {
    line: 'EE-09',
    state: 'done',
    what: 'a reboot in place: same claim and node, another boot',
    shown: { 'test/crash/reboots.test.ts': ['EE-09 has the node rebooted in place'] },
  },
  {
    line: 'EE-10',
    state: 'done',
    what: 'two reboots, then a replacement',
    shown: { 'test/crash/reboots.test.ts': ['EE-10 has it rebooted twice, then replaced'] },
  },
  {
    line: 'EE-11',
    state: 'done',
    what: 'a pod that nothing evicts is there after the reboot',
    shown: { 'test/crash/reboots.test.ts': ['EE-11 leaves a pod that must not be evicted on the node'] },
  },
  {
    line: 'EE-12',
    state: 'done',
    what: 'a budget of 1: one reboot at a time',
    shown: { 'shared/engine/repair/reboots.test.ts': ['EE-12 RP-12 reboots one node at a time'] },
  },
  {
    line: 'EE-13',
    state: 'done',
    what: 'a static pool at its limit deletes first, and never exceeds the limit',
    shown: {
      'shared/engine/staticPools/terminateFirst.test.ts': [
        'is never above its limit, never lacks more machines than its budget, and ends with new ones',
      ],
      'shared/engine/repair/repair.test.ts': ['RP-24, TF-01: gives up the broken machine first'],
    },
  },
  {
    line: 'EE-14',
    state: 'done',
    what: 'a default spread makes a node for each pod',
    shown: { 'test/e2e/defaultSpread.test.ts': ['counts those of a Deployment together, by its ReplicaSet'] },
  },
]
