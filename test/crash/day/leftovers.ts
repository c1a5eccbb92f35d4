/** Objects without an owner, and objects that are left when nothing runs any more. */
import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'
import type { Ledger } from '../../../shared/model/ledger.ts'
import { nodeNameOf } from '../../builders/nodeClaim.ts'

/** `isIdle`: no pod runs on the node of the object. */
export type Ownerless = { readonly name: string; readonly isIdle: boolean }

/** Objects of a claim that does not exist, and claims whose machine does not exist. */
export function ownerless({ objects, machines }: MemoryWorld): readonly Ownerless[] {
  const claims = new Set<string>(objects.all('nodeClaim').map(({ name }) => name))
  const owned = new Set([...claims].map((name): string => nodeNameOf(name)))
  const running = new Set(machines.all().map(({ claim }) => claim.name))
  const launched = objects.all('nodeClaim').filter(({ status }) => status.providerId !== undefined)
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
    ...launched.flatMap(({ name }) => (running.has(name) ? [] : [{ name: `nodeclaim ${name} without a machine`, isIdle: true }])),
  ]
}

/** Everything that exists although no pod is wanted. */
export function left({ objects, machines, queues }: MemoryWorld, { intents, commands, nominations }: Ledger): readonly string[] {
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
    ...queues.waiting().flatMap((message) => (message.kind === 'doorbell' ? [] : [`message to ${message.claim}`])),
  ]
}
