import type { ReleaseLine } from './releaseLine.ts'

export const BUFFERS: readonly ReleaseLine[] = [
  {
    line: 'BX-01',
    state: 'done',
    what: 'a buffer that is deleted or finds nothing lets empty nodes go',
    shown: { 'shared/engine/disruption/bufferRoom.test.ts': ['EB-02 BX-01 an empty machine goes', 'BX-01 an empty machine goes'] },
  },
  {
    line: 'BX-02',
    state: 'done',
    what: 'a target that appears or scales counts at once; another one does not',
    shown: { 'shared/engine/disruption/bufferRoom.test.ts': ['BX-02 a machine stays as soon as'] },
  },
  {
    line: 'BX-03',
    state: 'done',
    what: 'a scalableRef without apiGroup means apps',
    shown: {
      'shared/engine/scheduling/decision/bufferStatus.test.ts': ['BX-03 its workload is missing, and no group is named'],
      'shared/engine/disruption/bufferRoom.test.ts': ['BX-02 a machine stays as soon as'],
    },
  },
  {
    line: 'OX-01',
    state: 'done',
    what: 'a type with an overlay keeps its limit of disks',
    shown: { 'shared/engine/overlay/overlaidTypes.test.ts': ['OX-01 keeps its limit of disks'] },
  },
  {
    line: 'OX-02',
    state: 'differs',
    what: 'and its device templates',
    why: 'sizes have no device templates: pods with resource claims are refused by name',
    shown: { 'shared/engine/overlay/overlaidTypes.test.ts': ['OX-01 keeps its limit of disks, and all else that no overlay sets'] },
  },
  {
    line: 'DY-01',
    state: 'differs',
    what: 'the first alternative of a device request that can be met',
    why: 'AKS runs its own provider without dynamic resources as well; a pod with resource claims is refused by name, and gets no machine that it could not use',
    shown: {
      'test/scenarios/instanceTypes.ts': ['POD.UNSUPPORTED_RESOURCE_CLAIM'],
    },
  },
  {
    line: 'DY-02',
    state: 'differs',
    what: 'a failed alternative is undone',
    why: 'AKS runs its own provider without dynamic resources as well; a pod with resource claims is refused by name, and gets no machine that it could not use',
    shown: {
      'test/scenarios/instanceTypes.ts': ['POD.UNSUPPORTED_RESOURCE_CLAIM'],
    },
  },
  {
    line: 'DY-03',
    state: 'differs',
    what: 'constraints by the parent and by the qualified name',
    why: 'AKS runs its own provider without dynamic resources as well; a pod with resource claims is refused by name, and gets no machine that it could not use',
    shown: {
      'test/scenarios/instanceTypes.ts': ['POD.UNSUPPORTED_RESOURCE_CLAIM'],
    },
  },
  {
    line: 'DY-04',
    state: 'differs',
    what: 'all devices where there are none; limits of devices',
    why: 'AKS runs its own provider without dynamic resources as well; a pod with resource claims is refused by name, and gets no machine that it could not use',
    shown: {
      'test/scenarios/instanceTypes.ts': ['POD.UNSUPPORTED_RESOURCE_CLAIM'],
    },
  },
  {
    line: 'DY-05',
    state: 'differs',
    what: 'a request of neither form is an error',
    why: 'AKS runs its own provider without dynamic resources as well; a pod with resource claims is refused by name, and gets no machine that it could not use',
    shown: {
      'test/scenarios/instanceTypes.ts': ['POD.UNSUPPORTED_RESOURCE_CLAIM'],
    },
  },
  {
    line: 'VQ-01',
    state: 'differs',
    what: 'predicted requests of a VerticalPodAutoscaler',
    why: 'nothing in Karpenter reads the predictions, and no decision depends on them; requests that a VerticalPodAutoscaler or a resize has written are those of the pod',
    shown: {
      'shared/wire/kube/pod.test.ts': [
        'requests what it holds while a resize in place shrinks it',
        'requests what it holds when a resize in place cannot be done',
      ],
    },
  },
]
