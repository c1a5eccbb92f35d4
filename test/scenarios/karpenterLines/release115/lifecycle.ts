import type { ReleaseLine } from './releaseLine.ts'

export const LIFECYCLE: readonly ReleaseLine[] = [
  {
    line: 'LF-01',
    state: 'done',
    what: 'no capacity: an Event on each pod of the claim that still waits',
    shown: {
      'shared/flows/lifecycle/tellWaitingPods.test.ts': [
        'LF-01 a claim that no capacity is there for',
        'tells the pods that still wait for it, and no others',
      ],
    },
  },
  {
    line: 'LF-02',
    state: 'done',
    what: 'texts keep within the limit of an Event',
    shown: {
      'shared/adapters/kube/eventCalls.test.ts': ['too long for the server is cut'],
      'shared/flows/reports/eventRecorder.test.ts': ['that would be too long loses text'],
    },
  },
  {
    line: 'LF-03',
    state: 'done',
    what: 'no initialization during a reboot',
    shown: {
      'shared/engine/lifecycle/reboot.test.ts': [
        'is over once the node has a new boot id and is ready, and then its initialization begins',
      ],
    },
  },
  {
    line: 'LF-04',
    state: 'done',
    what: 'a claim deleted before it was seen holds up no decision',
    shown: {
      'shared/flows/ledger/nextLedger.test.ts': ['CL-20 whose claim is gone is dropped', 'CL-20 that was never carried out stands'],
    },
  },
  {
    line: 'LF-05',
    state: 'done',
    what: 'the pods of an expired claim are counted',
    shown: {
      'shared/flows/apply/endMachines.test.ts': ['EX-01 EX-03 ends the claim although pods run on its node'],
    },
  },
  {
    line: 'SX-01',
    state: 'done',
    what: 'a node that is healthy again is not repaired; a fresh process finds the others again',
    shown: { 'shared/engine/repair/repair.test.ts': ['SX-01'], 'shared/flows/apply/disruptClaim.test.ts': ['SX-01'] },
  },
  {
    line: 'SX-02',
    state: 'done',
    what: 'a published driver without a count has no limit',
    shown: {
      'test/scenarios/volumes.ts': ['V40.2 a driver that says no number takes any number of disks'],
      'shared/wire/kube/workloads.test.ts': ['the attach limits of a node'],
    },
  },
  {
    line: 'MX-01',
    state: 'differs',
    what: 'the time of undecided pods ends with the pod',
    why: 'no measure of single pods is sent to Azure, which bills each series; the wait of the oldest pod of each machine is a trace',
    shown: {
      'shim/karpenter/servedMetrics.test.ts': ['lists none of them among those that are not served'],
    },
  },
  {
    line: 'MX-02',
    state: 'differs',
    what: 'the labels of measures',
    why: "consolidation_policy, termination_mode and terminate-first are told; no measure has one series for each image, and none that has Karpenter's name has lost it",
    shown: {
      'shim/karpenter/metricsText.test.ts': ['MX-02 say how NodeClaims end, and by which policy'],
      'shared/flows/reports/claimMetrics.test.ts': [
        'MX-02 say how a claim with the grace period',
        'count why a node goes before another comes in its place',
      ],
    },
  },
]
