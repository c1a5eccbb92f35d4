import type { ReleaseLine } from './releaseLine.ts'

export const LIFECYCLE: readonly ReleaseLine[] = [
  { line: 'LF-01', state: 'missing', what: 'no capacity: an Event on each pod of the claim that still waits' },
  {
    line: 'LF-02',
    state: 'done',
    what: 'texts keep within the limit of an Event',
    shown: {
      'shared/adapters/kube/eventCalls.test.ts': ['too long for the server is cut'],
      'shared/flows/reports/eventRecorder.test.ts': ['that would be too long loses text'],
    },
  },
  { line: 'LF-03', state: 'missing', what: 'no initialization during a reboot' },
  { line: 'LF-04', state: 'missing', what: 'a claim deleted before it was seen holds up no decision' },
  { line: 'LF-05', state: 'missing', what: 'the pods of an expired claim are counted' },
  { line: 'SX-01', state: 'missing', what: 'a node that is healthy again is not repaired; a fresh process finds the others again' },
  { line: 'SX-02', state: 'missing', what: 'a published driver without a count has no limit' },
  { line: 'MX-01', state: 'missing', what: 'the time of undecided pods ends with the pod' },
  { line: 'MX-02', state: 'missing', what: 'the labels of measures' },
]
