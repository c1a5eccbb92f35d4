import type { KubeClient } from '../../local/cluster/client/kubeClient.ts'
import { canonicalJson } from '../../shared/base/json.ts'
import type { ClusterState } from '../../shared/flows/state/clusterState.ts'
import { OBJECT_KINDS, type ObjectByKind, type ObjectKind } from '../../shared/model/clusterObjects.ts'
import { epochMs } from '../../shared/model/units.ts'
import { OBJECT_CODECS } from '../../shared/wire/change.ts'
import { objectFromKube } from '../../shared/wire/kube/object.ts'
import { KIND_PATHS } from '../../shim/kinds.ts'

/** The existing objects: maps `kind key` to the identity and all fields that a decision can depend on. */
export type ObjectDigests = ReadonlyMap<string, string>

/** The objects in fresh lists from the API server. Pods that have ended are left out. */
export async function digestsOfCluster(client: KubeClient, signal: AbortSignal): Promise<ObjectDigests> {
  const digests = new Map<string, string>()
  for (const kind of OBJECT_KINDS) {
    for await (const item of listed(client, KIND_PATHS[kind].path, signal)) {
      if (kind === 'pod' && ['Succeeded', 'Failed'].includes(item.status?.phase ?? '')) continue
      const { namespace, name, uid } = item.metadata
      digests.set(`${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`, textOf(kind, item, uid))
    }
  }
  return digests
}

/** The objects in the app's state. */
export function digestsOfApp(state: ClusterState): ObjectDigests {
  const digests = new Map<string, string>()
  for (const { change } of state.compact('0').entries) {
    if (change.op === 'delete') continue
    const value = change.op === 'put' ? written(change.kind, change.object) : 'cannot be understood'
    digests.set(`${change.kind} ${change.key}`, canonicalJson(value))
  }
  return digests
}

/** The differences in words, at most three objects of each kind of difference. Undefined if there are none. */
export function differences(cluster: ObjectDigests, app: ObjectDigests): string | undefined {
  const lost = [...cluster.keys()].filter((key) => !app.has(key))
  const ghosts = [...app.keys()].filter((key) => !cluster.has(key))
  const stale = [...cluster].filter(([key, value]) => app.has(key) && app.get(key) !== value).map(([key]) => key)
  const sorts = { 'the app misses': lost, 'only the app has': ghosts, 'the app is behind on': stale }
  const said = Object.entries(sorts).flatMap(([what, keys]) =>
    keys.length === 0 ? [] : [`${what} ${keys.length}: ${keys.slice(0, 3).join(', ')}`],
  )
  return said.length === 0 ? undefined : `${said.join('; ')} (of ${cluster.size})`
}

/** The reason for which the app would ask for a snapshot if it waited for missing changes. Undefined if none are missing. */
export function holes(state: ClusterState): string | undefined {
  return state.missing(epochMs(Number.MAX_SAFE_INTEGER))
}

type Item = {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string }
  readonly status?: { readonly phase?: string }
}
type Page = { readonly metadata: { readonly continue?: string }; readonly items: readonly Item[] }

async function* listed(client: KubeClient, path: string, signal: AbortSignal): AsyncGenerator<Item> {
  for (let token = ''; ; ) {
    const query = { limit: '500', ...(token === '' ? {} : { continue: token }) }
    const page = await client.send<Page>({ method: 'GET', path, query, signal })
    if (!page.ok) throw new Error(`list ${path}: ${page.error.message}`)
    yield* page.value.items
    token = page.value.metadata.continue ?? ''
    if (token === '') return
  }
}

function textOf(kind: ObjectKind, item: Item, uid: string | undefined): string {
  const reduced = objectFromKube(kind, item)
  const text = canonicalJson(reduced.ok ? written(kind, reduced.value) : 'cannot be understood')
  if (kind === 'pod' && !text.includes(String(uid))) throw new Error(`${text} does not say which pod it is`)
  return text
}

function written<Kind extends ObjectKind>(kind: Kind, object: ObjectByKind[Kind]): unknown {
  const codec: { readonly write: (value: ObjectByKind[Kind]) => unknown } = OBJECT_CODECS[kind]
  return codec.write(object)
}
