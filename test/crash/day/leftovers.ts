/** Objects without an owner, and objects that are left when nothing runs any more. */
import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'
import { isTrue } from '../../../shared/model/condition.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import type { Ledger } from '../../../shared/model/ledger.ts'
import { nodeNameOf } from '../../builders/nodeClaim.ts'

/** `isIdle`: no pod runs on the node of the object. */
export type Ownerless = { readonly name: string; readonly isIdle: boolean }

/**
 * Objects of a claim that does not exist, claims whose machine or NodePool does not exist, and bootstrap tokens of nodes that have joined. The disk of
 * a machine and the Lease of a node are no objects of their own here: Azure deletes the disk with its machine, and Kubernetes the Lease with its node.
 */
export function ownerless({ objects, machines }: MemoryWorld): readonly Ownerless[] {
  const claims = new Set<string>(objects.all('nodeClaim').map(({ name }) => name))
  const owned = new Set([...claims].map((name): string => nodeNameOf(name)))
  const running = new Set(machines.all().map(({ claim }) => claim.name))
  const launched = objects.all('nodeClaim').filter(({ status }) => status.providerId !== undefined)
  const pools = new Set<string>(objects.all('nodePool').map(({ name }) => name))
  const joined = new Set<string>(
    objects.all('nodeClaim').flatMap(({ name, status }) => (isTrue(status.conditions, 'Registered') ? [name] : [])),
  )
  const busy = new Set<string>(objects.all('pod').flatMap(({ nodeName }) => nodeName ?? []))
  const of = (kind: string, names: readonly string[]): readonly Ownerless[] =>
    names.flatMap((name) => (owned.has(name) ? [] : [{ name: `${kind} ${name}`, isIdle: !busy.has(name) }]))
  return [
    ...of(
      'node',
      objects.all('node').map(({ name }) => name),
    ),
    ...of(
      'machine',
      machines.all().map(({ instance }) => instance.name),
    ),
    ...of('interface', [...machines.interfaces.keys()]),
    ...of(
      'token of',
      [...objects.tokens.values()].map(({ claim }) => nodeNameOf(claim)),
    ),
    ...[...objects.tokens.values()].flatMap(({ claim }) =>
      joined.has(claim) ? [{ name: `token of ${claim}, whose node has joined`, isIdle: true }] : [],
    ),
    ...objects
      .all('nodeClaim')
      .flatMap(({ name, meta }) => (pools.has(meta.labels[LABEL.nodePool] ?? '') ? [] : [{ name: `nodeclaim ${name}`, isIdle: true }])),
    ...launched.flatMap(({ name }) => (running.has(name) ? [] : [{ name: `nodeclaim ${name} without a machine`, isIdle: true }])),
  ]
}

/** Everything that exists although no pod is wanted. */
export function left({ objects, machines }: MemoryWorld, { intents, commands, nominations }: Ledger): readonly string[] {
  return [
    ...objects.all('pod').map(({ key }) => `pod ${key}`),
    ...objects.all('node').map(({ name }) => `node ${name}`),
    ...objects.all('nodeClaim').map(({ name }) => `nodeclaim ${name}`),
    ...machines.all().map(({ instance }) => `machine ${instance.name}`),
    ...[...machines.interfaces.keys()].map((name) => `interface ${name}`),
    ...[...objects.tokens.values()].map(({ claim }) => `token of ${claim}`),
    ...intents.map(({ action }) => `intent of ${action.draft.name}`),
    ...commands.map(({ id }) => `move ${id}`),
    ...nominations.map(({ pod }) => `place of pod ${pod}`),
  ]
}
