import type { ObjectKind } from './clusterObjects.ts'
import type { Subject } from './decision.ts'

const KINDS: ReadonlySet<string> = new Set<Subject['kind']>([
  'pod',
  'nodePool',
  'nodeClass',
  'nodeClaim',
  'node',
  'nodeOverlay',
  'capacityBuffer',
])

/** The object as the subject of Events and reasons. Undefined for kinds that get neither. */
export function subjectOf(kind: ObjectKind | 'instanceType', name: string): Subject | undefined {
  return isKind(kind) && name !== '' ? { kind, name } : undefined
}

function isKind(kind: string): kind is Subject['kind'] {
  return KINDS.has(kind)
}
