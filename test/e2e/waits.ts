import type { ClusterEvent, Node } from '../../local/cluster/client/objects.ts'
import { CLAIM_PATH } from './clusterObjects.ts'
import { until } from './until.ts'
import type { World } from './world.ts'

export type Condition = { readonly type: string; readonly status: string; readonly reason?: string; readonly message?: string }
type Conditioned = { readonly status?: { readonly conditions?: readonly Condition[] } }
export type Listed<Item> = { readonly items: readonly Item[] }
export type Claim = Conditioned & {
  readonly metadata: {
    readonly name: string
    readonly labels?: { readonly [key: string]: string }
    readonly annotations?: { readonly [key: string]: string }
    readonly deletionTimestamp?: string
  }
}

/** Waits until the object at the path says this of itself, as `kubectl wait` does; its message is like the text. */
export async function whenSays(world: World, path: string, wanted: Partial<Condition>, text = /^/): Promise<void> {
  await until(async () => {
    const conditions = (await world.get<Conditioned>(path))?.status?.conditions
    if (conditions === undefined) return `${path} says nothing`
    const found = conditions.find(({ type }) => type === wanted.type)
    const isSo = Object.entries(wanted).every(([name, value]) => found?.[name as keyof Condition] === value)
    return isSo && text.test(found?.message ?? '')
      ? undefined
      : `${path} says ${JSON.stringify(conditions)}, not ${JSON.stringify(wanted)} and ${text}`
  })
}

/** Waits for a warning on a pod of the namespace `default`. */
export async function whenWarned(world: World, text: RegExp): Promise<void> {
  await until(async () => {
    const events = (await world.get<Listed<ClusterEvent>>('/api/v1/namespaces/default/events'))?.items ?? []
    const ours = events.filter(({ source, involvedObject }) => source?.component === 'joiner' && involvedObject.kind === 'Pod')
    const said = ours.map(({ message }) => message)
    return said.some((message) => text.test(message ?? '')) ? undefined : `nothing like ${text} was said, but [${said.join('; ')}]`
  })
}

export type Told = { readonly [Member in 'type' | 'reason' | 'message' | 'count']: ClusterEvent[Member] | undefined }

/** What Joiner told about the object of that name. */
export async function eventsOn(world: World, kind: string, name: string): Promise<readonly Told[]> {
  const events = (await world.get<Listed<ClusterEvent>>('/api/v1/events'))?.items ?? []
  return events
    .filter(({ source, involvedObject: on }) => source?.component === 'joiner' && on.kind === kind && on.name === name)
    .map(({ type, reason, message, count }) => ({ type, reason, message, count }))
}

/** Waits for an Event on an object. */
export async function whenTold(world: World, kind: string, name: string, reason: string, text: RegExp): Promise<void> {
  await until(async () => {
    const told = await eventsOn(world, kind, name)
    const isTold = told.some((event) => event.reason === reason && text.test(event.message ?? ''))
    return isTold ? undefined : `no ${reason} like ${text} on ${kind} ${name}, but ${JSON.stringify(told)}`
  })
}

export async function claims(world: World): Promise<readonly Claim[]> {
  return (await world.get<Listed<Claim>>(CLAIM_PATH))?.items ?? []
}

/** Waits for a claim, and says which. */
export async function someClaim(world: World): Promise<Claim> {
  let found: Claim | undefined
  await until(async () => {
    found = (await claims(world))[0]
    return found === undefined ? 'there is no nodeclaim' : undefined
  })
  if (found === undefined) throw new Error('there is no nodeclaim')
  return found
}

export async function nodes(world: World): Promise<readonly Node[]> {
  return (await world.get<Listed<Node>>('/api/v1/nodes'))?.items ?? []
}
