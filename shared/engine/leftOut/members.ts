/** The parts of a snapshot that can be left out of a decision one by one. */
import { byText, inOrder } from '../../base/lists.ts'
import { OBJECT_KINDS, type ObjectByKind, type ObjectKind } from '../../model/clusterObjects.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { LeftOut } from '../../model/decision.ts'
import type { InstanceType } from '../../model/instanceType.ts'

export type Value = ObjectByKind[ObjectKind] | InstanceType

export type Member = Pick<LeftOut, 'kind' | 'name'> & { readonly value: Value }

/** Kinds that other kinds refer to come first, and pods last: of two objects that fail together, the later one is left out. */
const ORDER: readonly Member['kind'][] = [
  'nodeClass',
  'nodePool',
  'instanceType',
  ...OBJECT_KINDS.filter(isBetween),
  'nodeClaim',
  'node',
  'pod',
]

function isBetween(kind: ObjectKind): boolean {
  return kind !== 'nodeClass' && kind !== 'nodePool' && kind !== 'nodeClaim' && kind !== 'node' && kind !== 'pod'
}

/** All members, in an order that does not depend on the order of the input. */
export function membersOf({ objects, instanceTypes }: ClusterSnapshot): readonly Member[] {
  const types = [...instanceTypes].flatMap(([nodeClass, own]) =>
    own.map((value): Member => ({ kind: 'instanceType', name: `${nodeClass}/${nameOf(value)}`, value })),
  )
  const others = OBJECT_KINDS.flatMap((kind) => objects[kind].map((value: Value): Member => ({ kind, name: nameOf(value), value })))
  const rank = new Map(ORDER.map((kind, at) => [kind, at]))
  const byKind = (one: Member, other: Member): number => (rank.get(one.kind) ?? 0) - (rank.get(other.kind) ?? 0)
  return [...types, ...others].sort(inOrder(byKind, (one, other) => byText(one.name, other.name)))
}

/** The snapshot with these members alone. */
export function withMembers(snapshot: ClusterSnapshot, members: readonly Member[]): ClusterSnapshot {
  const kept = new Set<Value>(members.map(({ value }) => value))
  const isKept = (value: Value): boolean => kept.has(value)
  const lists = OBJECT_KINDS.map((kind) => [kind, snapshot.objects[kind].filter(isKept)] as const)
  const types = [...snapshot.instanceTypes].map(([nodeClass, own]) => [nodeClass, own.filter(isKept)] as const)
  return { ...snapshot, objects: { ...snapshot.objects, ...Object.fromEntries(lists) }, instanceTypes: new Map(types) }
}

/** The answer of something that may fail. Undefined if it does. */
export function attempt<Answer>(ask: () => Answer): Answer | undefined {
  try {
    return ask()
  } catch {
    return undefined
  }
}

function nameOf(value: Value): string {
  return attempt(() => ('key' in value ? value.key : value.name)) ?? ''
}
