import type { ReleaseLine } from './releaseLine.ts'

export const BUFFERS: readonly ReleaseLine[] = [
  { line: 'BX-01', state: 'missing', what: 'a buffer that is deleted or finds nothing lets empty nodes go' },
  { line: 'BX-02', state: 'missing', what: 'a target that appears or scales counts at once; another one does not' },
  { line: 'BX-03', state: 'missing', what: 'a scalableRef without apiGroup means apps' },
  { line: 'OX-01', state: 'missing', what: 'a type with an overlay keeps its limit of disks' },
  { line: 'OX-02', state: 'missing', what: 'and its device templates' },
  { line: 'DY-01', state: 'missing', what: 'the first alternative of a device request that can be met' },
  { line: 'DY-02', state: 'missing', what: 'a failed alternative is undone' },
  { line: 'DY-03', state: 'missing', what: 'constraints by the parent and by the qualified name' },
  { line: 'DY-04', state: 'missing', what: 'all devices where there are none; limits of devices' },
  { line: 'DY-05', state: 'missing', what: 'a request of neither form is an error' },
  { line: 'VQ-01', state: 'missing', what: 'predicted requests of a VerticalPodAutoscaler' },
]
