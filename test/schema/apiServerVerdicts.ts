import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeClient, KubeRequest, Refusal } from '../../local/cluster/client/kubeClient.ts'
import type { Result } from '../../shared/base/result.ts'
import type { DefinitionManifest } from '../../shared/wire/schema/definitionManifest.ts'
import { changed, type Manifest, type ManifestCase } from './cases/manifestCase.ts'

/** The verdict of an API server on a case. Without `refusal`, the server accepted it. */
export type ApiServerVerdict = { readonly of: ManifestCase; readonly refusal?: string }

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const DRY = { dryRun: 'All' }
const AT_A_TIME = 8

/** Installs the definitions and asks for a verdict on each case. Removes whatever it stores. */
export async function apiServerVerdicts(
  client: KubeClient,
  definitions: readonly DefinitionManifest[],
  { cases, signal }: { readonly cases: readonly ManifestCase[]; readonly signal: AbortSignal },
): Promise<readonly ApiServerVerdict[]> {
  const send = <Answer>(request: Omit<KubeRequest, 'signal'>) => client.send<Answer>({ ...request, signal })
  await install(client, definitions, signal)

  const verdicts: ApiServerVerdict[] = []
  const waiting = [...cases.entries()]
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, one] = next
        const refusal = await refusalOf(one, `case-${index}`)
        verdicts[index] = refusal === undefined ? { of: one } : { of: one, refusal }
      }
    }),
  )
  return verdicts

  /** A create is a dry run and stores nothing. An update or a status needs a stored object. */
  function refusalOf(one: ManifestCase, name: string): Promise<string | undefined> {
    const path = pathFor(one)
    const { status, ...rest } = one.object
    const object = named(one, one.object, name)
    if (status !== undefined) return judgePut(path, { stored: named(one, rest, name), object, below: '/status' })
    if (one.old !== undefined) return judgePut(path, { stored: named(one, one.old, name), object, below: '' })
    return judge({ method: 'POST', path, query: DRY, body: object })
  }

  async function judgePut(
    path: string,
    { stored, object, below }: { readonly stored: Manifest; readonly object: Manifest; readonly below: string },
  ): Promise<string | undefined> {
    const before = await must(send<Stored>({ method: 'POST', path, body: stored }))
    const self = `${path}/${before.metadata.name}`
    const body = changed(object, { 'metadata.resourceVersion': before.metadata.resourceVersion })
    const refusal = await judge({ method: 'PUT', path: `${self}${below}`, query: DRY, body })
    await must(send({ method: 'DELETE', path: self }))
    return refusal
  }

  async function judge(request: Omit<KubeRequest, 'signal'>): Promise<string | undefined> {
    const answer = await send(request)
    if (answer.ok) return undefined
    // Any other code is no verdict, for example a conflict, a path that is not served, or a timeout.
    if (answer.error.code !== 422 && answer.error.code !== 400)
      throw new Error(`${request.path}: ${answer.error.code} ${answer.error.message}`)
    return answer.error.message
  }

  function pathFor({ apiVersion, kind }: ManifestCase): string {
    const definition = definitions.find(({ spec }) => spec.names.kind === kind)
    if (definition === undefined) throw new Error(`no definition of ${kind}`)
    return pathOf(definition, apiVersion.slice(apiVersion.indexOf('/') + 1))
  }
}

/** Installs the definitions and waits until each version is served, a moment after its creation. */
export async function install(client: KubeClient, definitions: readonly DefinitionManifest[], signal: AbortSignal): Promise<void> {
  for (const body of definitions) await must(client.send({ method: 'POST', path: DEFINITIONS, body, signal }))
  for (const definition of definitions) {
    for (const { name } of definition.spec.versions) {
      const path = pathOf(definition, name)
      while (!(await client.send({ method: 'GET', path, signal })).ok) await sleep(50, undefined, { signal })
    }
  }
}

type Stored = { readonly metadata: { readonly name: string; readonly resourceVersion: string } }

function pathOf({ spec }: DefinitionManifest, version: string): string {
  return `/apis/${spec.group}/${version}/${spec.scope === 'Namespaced' ? 'namespaces/default/' : ''}${spec.names.plural}`
}

function named({ kind, apiVersion }: ManifestCase, object: Manifest, name: string): Manifest {
  return changed({ ...object, kind, apiVersion }, { 'metadata.name': name })
}

export async function must<Answer>(answered: Promise<Result<Answer, Refusal>>): Promise<Answer> {
  const answer = await answered
  if (!answer.ok) throw new Error(`${answer.error.code} ${answer.error.message}`)
  return answer.value
}
