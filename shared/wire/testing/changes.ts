import { pod } from '../../../test/builders/pod.ts'
import type { Change } from '../../model/change.ts'
import { epochMs } from '../../model/units.ts'

export const CHANGES: readonly Change[] = [
  { seq: 1, at: epochMs(5), key: 'default/pod', op: 'put', kind: 'pod', object: pod() },
  { seq: 2, at: epochMs(6), key: 'n', op: 'delete', kind: 'node' },
]
