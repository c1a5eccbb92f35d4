import type { ReleaseLine } from './releaseLine.ts'

export const CONSTRAINTS: readonly ReleaseLine[] = [
  { line: 'SC-01', state: 'missing', what: 'default constraints hold for pods without constraints of their own' },
  { line: 'SC-02', state: 'missing', what: 'the selector of a default comes from the owner' },
  { line: 'SC-03', state: 'missing', what: 'the selectors of matching Services are merged' },
  { line: 'SC-04', state: 'missing', what: 'which selector wins in a conflict' },
  { line: 'SC-05', state: 'missing', what: 'pods of one owner with other labels, or of another namespace, are apart' },
  { line: 'SC-06', state: 'missing', what: 'each workload and revision is apart; running pods count; neither owner nor Service: free' },
  {
    line: 'SC-07',
    state: 'done',
    what: 'an owner that does not control the pod gives no selector',
    shown: {
      'test/scenarios/defaultSpread.ts': ['SC-07 an owner that does not control the pods'],
      'shared/wire/kube/pod.test.ts': ['says of the first owner that it does not control the pod'],
    },
  },
]
