import type { ClusterEvent, Node } from '../../local/cluster/client/objects.ts'
import { CLAIM_PATH } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { until } from './until.ts'

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

/** Waits, as `kubectl wait` does, until the object at the path has the condition, with a message that matches the text. */
export async function whenSays(environment: Environment, path: string, wanted: Partial<Condition>, text = /^/): Promise<void> {
  await until(async () => {
    const conditions = (await environment.get<Conditioned>(path))?.status?.conditions
    if (conditions === undefined) return `${path} says nothing`
    const found = conditions.find(({ type }) => type === wanted.type)
    const isSo = Object.entries(wanted).every(([name, value]) => found?.[name as keyof Condition] === value)
    return isSo && text.test(found?.message ?? '')
      ? undefined
      : `${path} says ${JSON.stringify(conditions)}, not ${JSON.stringify(wanted)} and ${text}`
  })
}

/** Waits for a warning on a pod of the namespace `default`. */
export async function whenWarned(environment: Environment, text: RegExp): Promise<void> {
  await until(async () => {
    const events = (await environment.get<Listed<ClusterEvent>>('/api/v1/namespaces/default/events'))?.items ?? []
    const ours = events.filter(({ reportingComponent, involvedObject }) => reportingComponent === 'joiner' && involvedObject.kind === 'Pod')
    const said = ours.map(({ message }) => message)
    return said.some((message) => text.test(message ?? '')) ? undefined : `nothing like ${text} was said, but [${said.join('; ')}]`
  })
}

export type Told = { readonly [Member in 'type' | 'reason' | 'message' | 'count']: ClusterEvent[Member] | undefined }

/** Joiner's Events on the object. */
export async function eventsOn(environment: Environment, kind: string, name: string): Promise<readonly Told[]> {
  const events = (await environment.get<Listed<ClusterEvent>>('/api/v1/events'))?.items ?? []
  return events
    .filter(({ reportingComponent, involvedObject: on }) => reportingComponent === 'joiner' && on.kind === kind && on.name === name)
    .map(({ type, reason, message, count }) => ({ type, reason, message, count }))
}

/** Waits for an Event on an object. */
export async function whenTold(environment: Environment, kind: string, name: string, reason: string, text: RegExp): Promise<void> {
  await until(async () => {
    const told = await eventsOn(environment, kind, name)
    const isTold = told.some((event) => event.reason === reason && text.test(event.message ?? ''))
    return isTold ? undefined : `no ${reason} like ${text} on ${kind} ${name}, but ${JSON.stringify(told)}`
  })
}

export async function claims(environment: Environment): Promise<readonly Claim[]> {
  return (await environment.get<Listed<Claim>>(CLAIM_PATH))?.items ?? []
}

/** Waits for a claim and returns it. */
export async function someClaim(environment: Environment): Promise<Claim> {
  let found: Claim | undefined
  await until(async () => {
    found = (await claims(environment))[0]
    return found === undefined ? 'there is no nodeclaim' : undefined
  })
  if (found === undefined) throw new Error('there is no nodeclaim')
  return found
}

export async function nodes(environment: Environment): Promise<readonly Node[]> {
  return (await environment.get<Listed<Node>>('/api/v1/nodes'))?.items ?? []
}
