import { describe, expect, it } from 'vitest'
import type { KubeClient, KubeRequest } from '../../local/cluster/client/kubeClient.ts'
import { definitionManifest } from '../../shared/wire/schema/definitionManifest.ts'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'
import { EMBEDDED_SERVER, LIMIT_MS, REAL_SERVER } from './apiServers.ts'
import { install, must } from './apiServerVerdicts.ts'

const CLASSES = { new: '/apis/karpenter.azure.com/v1beta1/aksnodeclasses', old: '/apis/karpenter.azure.com/v1alpha2/aksnodeclasses' }
const POOLS = '/apis/karpenter.sh/v1/nodepools'

const SPEC = { imageFamily: 'AzureLinux', tags: { team: 'a' }, kubelet: { containerLogMaxFiles: 3 }, security: { encryptionAtHost: true } }
const POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'pool' },
  spec: {
    replicas: 2,
    template: { spec: { nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'class' }, requirements: [] } },
  },
}

type NodeClass = { readonly apiVersion: string; readonly metadata: { readonly resourceVersion: string }; readonly spec: object }
type Scale = { readonly spec: { readonly replicas: number }; readonly metadata: object }
type Call = <Answer>(method: KubeRequest['method'], path: string, body?: unknown) => Promise<Answer>

for (const [title, server] of Object.entries({ 'a real API server': REAL_SERVER, 'the embedded API server': EMBEDDED_SERVER })) {
  const { lacking } = server
  describe.skipIf(lacking !== undefined)(`${title}${lacking === undefined ? '' : ` (skipped: ${lacking})`}`, { timeout: LIMIT_MS }, () => {
    const withDefinitions = (test: (call: Call) => Promise<void>): Promise<void> =>
      server.with(async (client, signal) => {
        await install(client, RESOURCE_DEFINITIONS.map(definitionManifest), signal)
        await test(callWith(client, signal))
      })

    it('shows a class in both versions, the fields unchanged, and scales a pool', async () => {
      await withDefinitions(async (call) => {
        await call('POST', CLASSES.old, {
          apiVersion: 'karpenter.azure.com/v1alpha2',
          kind: 'AKSNodeClass',
          metadata: { name: 'class' },
          spec: SPEC,
        })
        const asOld = await call<NodeClass>('GET', `${CLASSES.old}/class`)
        const asNew = await call<NodeClass>('GET', `${CLASSES.new}/class`)
        expect(asOld).toMatchObject({ apiVersion: 'karpenter.azure.com/v1alpha2', spec: SPEC })
        expect(asNew).toMatchObject({ apiVersion: 'karpenter.azure.com/v1beta1', spec: asOld.spec })
        await call('PUT', `${CLASSES.new}/class`, { ...asNew, spec: { ...asNew.spec, maxPods: 50 } })
        expect(await call('GET', `${CLASSES.old}/class`)).toMatchObject({ spec: { ...asOld.spec, maxPods: 50 } })

        await call('POST', POOLS, POOL)
        const scale = await call<Scale>('GET', `${POOLS}/pool/scale`)
        expect(scale.spec.replicas).toBe(2)
        await call('PUT', `${POOLS}/pool/scale`, { ...scale, spec: { replicas: 5 } })
        expect(await call('GET', `${POOLS}/pool`)).toMatchObject({ spec: { replicas: 5 } })
      })
    })

    it('AP-02 stores 0s where a pool does not say how long a node is quiet', async () => {
      await withDefinitions(async (call) => {
        const { replicas: _, ...dynamic } = POOL.spec
        const said = { ...POOL, spec: { ...dynamic, disruption: { consolidationPolicy: 'WhenEmpty' } } }
        expect(await call('POST', POOLS, said)).toMatchObject({
          spec: { disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '0s' } },
        })
      })
    })

    it('tells kubectl the names and categories of each kind', async () => {
      await withDefinitions(async (call) => {
        for (const { group, plural, kind, shortNames, categories, scope, versions } of RESOURCE_DEFINITIONS) {
          for (const { name, scale } of versions) {
            const { resources } = await call<{ readonly resources: readonly { readonly name: string }[] }>('GET', `/apis/${group}/${name}`)
            const said = resources.find((resource) => resource.name === plural)
            const names = shortNames === undefined ? {} : { shortNames }
            expect(said).toMatchObject({ kind, categories, namespaced: scope === 'Namespaced', singularName: kind.toLowerCase(), ...names })
            const below = resources.map((resource) => resource.name).filter((resource) => resource.startsWith(`${plural}/`))
            expect(below.sort()).toEqual([...(scale ? [`${plural}/scale`] : []), `${plural}/status`])
          }
        }
      })
    })

    it('refuses an unknown field where the client asks for it, as kubectl does', async () => {
      await withDefinitions(async (call) => {
        const pool = { ...POOL, spec: { ...POOL.spec, replica: 3 } }
        await expect(call('POST', `${POOLS}?dryRun=All&fieldValidation=Strict`, pool)).rejects.toThrow('unknown field "spec.replica"')
        await call('POST', `${POOLS}?dryRun=All`, pool)
      })
    })
  })
}

function callWith(client: KubeClient, signal: AbortSignal): Call {
  return <Answer>(method: KubeRequest['method'], path: string, body?: unknown) =>
    must(client.send<Answer>({ method, path, signal, ...(body === undefined ? {} : { body }) }))
}
