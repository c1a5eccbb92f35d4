import type { ReleaseLine } from './releaseLine.ts'

export const CONSTRAINTS: readonly ReleaseLine[] = [
  {
    line: 'SC-01',
    state: 'done',
    what: 'default constraints hold for pods without constraints of their own',
    shown: {
      'test/scenarios/defaultSpread.ts': [
        'X1 over zones, for pods of a ReplicaSet',
        'X2 over hosts',
        'X3 not for pods with a constraint of their own',
        'X5 with a least number of domains and one zone',
        'X6 as a wish that cannot be met',
        'X7 none set',
      ],
    },
  },
  {
    line: 'SC-02',
    state: 'done',
    what: 'the selector of a default comes from the owner',
    shown: {
      'test/scenarios/defaultSpread.ts': [
        'X13 the selector of the set counts, not the labels of the pods',
        'X13.1 a StatefulSet, whose pods have a label each',
        'X13.2 expressions of the set',
        'X13.3 a ReplicationController',
        'X13.4 an owner of a kind that says nothing',
        'X13.5 an owner that is not there',
      ],
    },
  },
  {
    line: 'SC-03',
    state: 'done',
    what: 'the selectors of matching Services are merged',
    shown: {
      'test/scenarios/defaultSpread.ts': [
        'X13.6 two services are taken together',
        'X13.7 a service that selects others',
        'X13.8 a service without selector',
        'X13.9 a service of another namespace',
        'X13.10 a service and a set hold together',
      ],
    },
  },
  {
    line: 'SC-04',
    state: 'done',
    what: 'which selector wins in a conflict',
    shown: {
      'test/scenarios/defaultSpread.ts': [
        'X13.11 a service and a ReplicationController that contradict each other: the controller counts',
        'X13.12 a service and a set that contradict each other select nothing',
      ],
    },
  },
  {
    line: 'SC-05',
    state: 'done',
    what: 'pods of one owner with other labels, or of another namespace, are apart',
    shown: {
      'test/scenarios/defaultSpread.ts': [
        'X13 the selector of the set counts, not the labels of the pods',
        'X13.9 a service of another namespace',
      ],
    },
  },
  {
    line: 'SC-06',
    state: 'done',
    what: 'each workload and revision is apart; running pods count; neither owner nor Service: free',
    shown: {
      'test/scenarios/defaultSpread.ts': [
        'X10 two workloads, each for itself',
        'X11 two revisions of one app, each for itself',
        'X9 two are in one zone already',
        'X8 neither owner nor service',
      ],
    },
  },
  {
    line: 'SC-07',
    state: 'done',
    what: 'an owner that does not control the pod gives no selector',
    shown: {
      'test/scenarios/defaultSpread.ts': ['X14 an owner that does not control the pods'],
      'shared/wire/kube/pod.test.ts': ['says of the first owner that it does not control the pod'],
    },
  },
]
