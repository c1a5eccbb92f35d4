import type { KarpenterGroup } from './karpenterGroup.ts'

export const CLUSTER: readonly KarpenterGroup[] = [
  {
    about: 'what is known of a cluster',
    kinds: { CL: 22 },
    rows: [
      {
        lines: 'CL-01',
        what: 'the time at which a pod could be scheduled is kept for metrics, once, and dropped with the pod',
        why: 'no process keeps times of pods: the claim carries since when its oldest pod waits, and the pod when it was bound',
        shown: { 'shared/flows/apply/markClaims.test.ts': ['SV-09'] },
      },
      {
        lines: 'CL-06',
        what: 'a pod is meant for a node for a time',
        shown: {
          'test/scenarios/nominations.ts': ['PR6 a pod goes where it was promised', 'PR7 a promise that has run out does not bind'],
        },
      },
      {
        lines: 'CL-08',
        what: 'pods that keep others away count, wishes do not, pods that are gone do not',
        shown: {
          'test/scenarios/antiAffinity.ts': [
            'Y19 pods that run in each zone',
            'Y20 their wish keeps nobody away',
            'Y35 pods that have ended',
          ],
          'shared/engine/scheduling/planningState.test.ts': ['the pod that keeps others away goes'],
        },
      },
      {
        lines: 'CL-11',
        what: 'the newest pod of a DaemonSet says what the next one asks for',
        why: 'both are looked at: the template says what comes, a running pod what an admission hook adds to it, and the more of both counts',
        shown: {
          'test/scenarios/daemonSets.ts': ['J5 a daemon’s pod that runs says more than its template', 'J1 a daemon takes its part'],
        },
      },
      {
        lines: 'CL-12',
        what: 'that nothing is to be consolidated is remembered for five minutes, or until something changes',
        why: 'a look that finds nothing is trusted until something is said of the cluster, and ten minutes at most',
        shown: { 'shared/flows/ledger/rest.test.ts': ['that finds nothing to do is trusted', 'is not at rest once something was said'] },
      },
      {
        lines: 'CL-13',
        what: 'objects may change while it is asked whether all of them are known',
        why: 'one thread: a picture is a value that no later change touches',
        shown: { 'shared/flows/state/clusterState.test.ts': ['CL-09 gives the same picture'] },
      },
      {
        lines: 'CL-18',
        what: 'how many pods a buffer has is kept, replaced and cleared',
        why: 'nothing is kept: each decision counts them from the buffer, its template and its workload',
        shown: { 'shared/engine/scheduling/planningState.test.ts': ['a buffer comes with its template'] },
      },
      {
        lines: 'CL-19',
        what: 'room under limits.nodes is reserved before a claim is made, and released after',
        why: 'drafts of claims stand in the ledger of the one decider before they are made, and count as machines',
        shown: {
          'shared/engine/staticPools/decideStaticPools.test.ts': [
            'SP-07 a pool at its limit',
            'SP-08',
            'claims that the watch has not shown',
          ],
          'test/crash/crash.test.ts': ['SP-12'],
        },
      },
    ],
  },
  {
    about: 'buffers, overlays and foretold requests',
    kinds: { BU: 6, OV: 1, VP: 1 },
    rows: [
      {
        lines: 'BU-02',
        what: 'how many pods a buffer has, by number, share and limits',
        shown: {
          'test/scenarios/buffersAndOverlays.ts': ['BU1 ', 'BU2 ', 'BU3 ', 'BU4 ', 'BU8 ', 'BU9 ', 'BU10 ', 'BU10.1 ', 'BU10.2 '],
        },
      },
      {
        lines: 'BU-03',
        what: 'how many pods limits hold',
        shown: {
          'test/scenarios/buffersAndOverlays.ts': ['BU4 ', 'BU5 ', 'BU6 ', 'BU7 ', 'BU7.1 ', 'BU7.2 ', 'BU11 '],
        },
      },
      {
        lines: 'BU-04',
        what: 'a changed template is read anew, and what was read is kept',
        why: 'nothing is kept: each decision reads the templates of its picture',
        shown: { 'shared/engine/scheduling/planningState.test.ts': ['a buffer comes with its template'] },
      },
      {
        lines: 'BU-05',
        what: 'pods of a buffer have fixed names and no volumes, and keep what they tolerate, select and keep away from',
        shown: {
          'test/scenarios/buffersAndOverlays.ts': ['BU12 ', 'BU13 ', 'BU15 ', 'BU15.1 ', 'BU15.2 '],
          'shared/engine/scheduling/decision/bufferStatus.test.ts': ['that says it already says nothing'],
        },
      },
      {
        lines: 'VP-01',
        what: 'requests of pods to come are foretold by a VerticalPodAutoscaler',
        why: 'nothing in Karpenter reads it yet, and a pod that comes asks for what the autoscaler’s own hook wrote into it: that is planned here',
      },
    ],
  },
]
