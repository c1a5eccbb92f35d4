import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunProgram } from '../../cli/down/runProgram.ts'
import { startKubernetes } from '../../local/kubernetes/startKubernetes.ts'
import { callServer } from '../../local/kubernetes/testing/withServer.ts'
import { repositoryRoot, walk } from '../../scripts/floors.ts'
import { type EpochMs, epochMs } from '../../shared/model/units.ts'
import { type HookDeps, runHook } from './hookDeps.ts'
import { runPostdeploy } from './runPostdeploy.ts'
import { cutOff, Gone } from './testing/cutOff.ts'
import { type HookWorld, hookWorld } from './testing/localAzure.ts'

type Behaviour = { isReady: boolean; decides: boolean; helm: number }
type Body = {
  readonly metadata?: { readonly uid?: string; readonly name?: string }
  readonly items?: readonly { metadata: { name: string } }[]
}

let world: HookWorld
let server: Awaited<ReturnType<typeof startKubernetes>>
let behaviour: Behaviour
const helmed: (readonly string[])[] = []
const values: unknown[] = []

async function call(method: string, path: string, body?: object): Promise<{ readonly code: number; readonly body: Body }> {
  return (await callServer(server, { token: server.adminToken, method, path, body })) as { readonly code: number; readonly body: Body }
}

const OUTPUTS = {
  AZURE_RESOURCE_GROUP: 'rg-joiner-dev',
  JOINER_TENANT_ID: '00000000-0000-4000-8000-00000000a002',
  JOINER_APP_NAME: 'func-joiner-abc',
  JOINER_APP_ENDPOINT: 'https://func-joiner-abc.azurewebsites.net',
  JOINER_APP_PRINCIPAL_ID: 'p1',
  JOINER_AUDIENCE: 'api://joiner-abcdefghijklm',
  JOINER_SHIM_CLIENT_IDS: '["s1"]',
  JOINER_TOPIC_ENDPOINTS: '["https://topic.example.com/api/events"]',
  JOINER_WORKBOOK_ID: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Insights/workbooks/w',
  JOINER_LOG_WORKSPACE_ID: '/subscriptions/s/resourceGroups/g/providers/Microsoft.OperationalInsights/workspaces/l',
}

beforeEach(async () => {
  world = await hookWorld()
  server = await startKubernetes()
  behaviour = { isReady: true, decides: true, helm: 0 }
  helmed.length = 0
  values.length = 0
  const kubeconfig = JSON.stringify({
    clusters: [{ cluster: { server: server.url, 'certificate-authority-data': Buffer.from(server.caCertificate).toString('base64') } }],
  })
  const { clusterResourceId: id } = world.azure
  world.azure.putResource({ id, ...world.azure.getResource(id), kubeconfig })
  for (const [name, value] of Object.entries(OUTPUTS)) world.values.set(name, value)
  world.values.set(
    'JOINER_CLUSTER_FACTS',
    JSON.stringify([{ name: 'local', id, overrides: { machinePrefix: 'own-', podDeletionCosts: true } }]),
  )
  const site = `/subscriptions/${world.azure.subscriptionId}/resourceGroups/rg-joiner-dev/providers/Microsoft.Web/sites/func-joiner-abc`
  world.azure.putResource({ id: site, name: 'func-joiner-abc', type: 'Microsoft.Web/sites' })
  world.azure.putResource({ id: `${site}/functions/interruption`, name: 'interruption', type: 'Microsoft.Web/sites/functions' })
  await call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'joiner' } })
})
afterEach(async () => {
  await world.close()
  await server.close()
})

/** Acts as Helm does for a release of the chart, and as the cluster's controllers do a moment later. */
const helm: RunProgram = async (_, args) => {
  const [, release = ''] = args
  helmed.push(args)
  if (behaviour.helm !== 0) return { code: behaviour.helm, out: '', errors: 'Error: cannot re-use a name' }
  const file = args[args.indexOf('--values') + 1]
  if (release === 'joiner' && file !== undefined) values.push(JSON.parse(readFileSync(file, 'utf8')))
  if (release !== 'joiner') return { code: 0, out: '', errors: '' }
  const path = '/apis/apps/v1/namespaces/joiner/deployments'
  const labels = { 'app.kubernetes.io/name': 'joiner', 'app.kubernetes.io/component': 'shim' }
  const spec = {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'shim', image: 'shim' }] } },
  }
  await call('POST', path, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'joiner-shim', namespace: 'joiner' }, spec })
  const count = behaviour.isReady ? 2 : 0
  const status = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: count, availableReplicas: count }
  const patched = await call('PATCH', `${path}/joiner-shim/status`, { status })
  if (patched.code !== 200) throw new Error(`the status was not taken: ${JSON.stringify(patched.body)}`)
  return { code: 0, out: '', errors: '' }
}

/** Writes an Event for a pod that fits nothing, as the app does. The scheduler writes one, too. */
async function decide(uid: string): Promise<void> {
  for (const component of ['default-scheduler', ...(behaviour.decides ? ['joiner'] : [])])
    await call('POST', '/api/v1/namespaces/joiner/events', {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${component}.${uid}`, namespace: 'joiner' },
      involvedObject: { kind: 'Pod', namespace: 'joiner', name: 'joiner-first-decision', uid },
      reason: 'FailedScheduling',
      message: `${component} says no`,
      source: { component: component === 'joiner' ? 'karpenter' : component },
      reportingComponent: component,
    })
}

/** Returns the dependencies of a hook, with a clock that moves only when the hook sleeps. */
function deps(): HookDeps {
  const own = world.deps()
  let now = 1_800_000_000_000
  const clock = { now: (): EpochMs => epochMs(now), sleep: async (ms: number) => void (now += ms) }
  return {
    ...own,
    run: (program, args, more) => (program === 'helm' ? helm(program, args, more) : own.run(program, args, more)),
    access: {
      ...own.access,
      clock,
      token: async () => server.adminToken,
      transport: (to) => {
        const send = own.access.transport(to)
        return async (request, signal) => {
          const answer = await send(request, signal)
          if (request.method === 'POST' && request.path.endsWith('/pods')) await decide((answer.json as Body).metadata?.uid ?? '')
          return answer
        }
      },
    },
  }
}

const left = async (): Promise<readonly string[]> =>
  ((await call('GET', '/api/v1/namespaces/joiner/pods')).body.items ?? []).map(({ metadata }) => metadata.name)

describe('postdeploy', () => {
  it('installs the charts, waits for the shim and proves a decision', async () => {
    expect(await runPostdeploy(deps()), world.lines.join('\n')).toBe(0)
    expect(helmed.filter(([verb]) => verb !== 'version').map(([verb, release]) => `${verb} ${release}`)).toEqual([
      'upgrade joiner-crd',
      'upgrade joiner',
    ])
    expect(values).toEqual([
      {
        cluster: 'local',
        endpoint: 'https://func-joiner-abc.azurewebsites.net',
        app: { objectId: 'p1' },
        audience: 'api://joiner-abcdefghijklm',
        identity: { clientId: 's1', tenantId: '00000000-0000-4000-8000-00000000a002' },
        shimAuth: 'serviceAccount',
        spot: { topicEndpoint: 'https://topic.example.com/api/events' },
        machinePrefix: 'own-',
        rbac: { podDeletionCosts: true },
      },
    ])
    expect(world.lines.slice(0, 2)).toEqual([
      'ok    local: the shim runs in namespace joiner',
      'ok    local: a change in the cluster reached a decision in 0 s: joiner says no',
    ])
    expect(world.lines.slice(2).map((line) => line.split(' ')[0])).toEqual(['workbook', 'logs', 'app'])
    expect(world.values.get('JOINER_APP_DEPLOYED')).toBe('true')
    expect(await left()).toEqual([])
  })

  it('leads the shim through the proxy of the cluster, with the authorities that the cluster trusts', async () => {
    const [ofProxy, ofCluster] = ['-----BEGIN CERTIFICATE-----\none', '-----BEGIN CERTIFICATE-----\ntwo']
    const base64 = (text = ''): string => Buffer.from(text).toString('base64')
    const { azure } = world
    const held = azure.getResource(azure.clusterResourceId)
    const properties = {
      ...(held?.['properties'] as object),
      httpProxyConfig: { httpsProxy: 'http://proxy.corp.example:3128', noProxy: ['corp.example'], trustedCa: base64(ofProxy) },
      securityProfile: { workloadIdentity: { enabled: true }, customCATrustCertificates: [base64(ofCluster)] },
    }
    azure.putResource({ id: azure.clusterResourceId, ...held, properties })
    const near = ['corp.example', 'localhost', 'local.hcp.eastus.invalid']
    for (const [network, more] of [
      ['public', []],
      ['private', ['func-joiner-abc.azurewebsites.net']],
    ] as const) {
      world.values.set('JOINER_NETWORK', network)
      values.length = 0
      expect(await runPostdeploy(deps()), world.lines.join('\n')).toBe(0)
      expect(values).toMatchObject([{ proxy: { url: 'http://proxy.corp.example:3128' }, trustedCertificates: `${ofProxy}\n${ofCluster}` }])
      const [{ proxy } = {}] = values as { readonly proxy?: { readonly noProxy: readonly string[] } }[]
      expect(proxy?.noProxy).toEqual(expect.arrayContaining([...near, ...more]))
      expect(proxy?.noProxy.includes('func-joiner-abc.azurewebsites.net')).toBe(network === 'private')
    }
  })

  it('takes an image by repository, tag and digest', async () => {
    world.values.set('JOINER_SHIM_IMAGE', 'localhost:5000/shim:0.2.0@sha256:abc')
    await runPostdeploy(deps())
    expect(values).toMatchObject([{ image: { repository: 'localhost:5000/shim', tag: '0.2.0', digest: 'sha256:abc' } }])
  })

  it('ends before any chart where the app refuses its settings, and names them', async () => {
    const message = 'the function app refuses its settings (GC_SCHEDULE)'
    const own = deps()
    const web = async (url: string): Promise<Response> =>
      url === 'https://func-joiner-abc.azurewebsites.net/api/clusters/any/status'
        ? Response.json({ code: 'SETTING.INVALID', message }, { status: 503 })
        : own.access.web(url)
    const refused = { ...own, access: { ...own.access, web } }
    expect(await runHook(runPostdeploy, refused)).toBe(1)
    expect(world.lines).toEqual([
      expect.stringMatching(/^FAIL {2}PREFLIGHT\.APP {3}func-joiner-abc: .*\(GC_SCHEDULE\); correct them with azd/),
    ])
    expect(helmed).toEqual([])
  })

  it('names the command where Helm fails, where the shim does not come up, and where no decision comes', async () => {
    behaviour.helm = 1
    expect(await runPostdeploy(deps())).toBe(1)
    expect(world.lines[0]).toBe('FAIL  local: KUBE.FAILED   helm upgrade joiner-crd --namespace joiner: Error: cannot re-use a name')
    behaviour = { isReady: false, decides: false, helm: 0 }
    world.lines.length = 0
    expect(await runPostdeploy(deps())).toBe(1)
    expect(world.lines[0]).toContain(
      'the shim is not ready after 5 minutes: its pods say no reason; run: kubectl --namespace joiner describe pods',
    )
    await call('DELETE', '/apis/apps/v1/namespaces/joiner/deployments/joiner-shim')
    behaviour = { isReady: true, decides: false, helm: 0 }
    world.lines.length = 0
    expect(await runPostdeploy(deps())).toBe(1)
    expect(world.lines[1]).toContain('a change in the cluster has not reached a decision after 7 minutes')
    expect(world.lines[1]).toContain('kubectl --namespace joiner logs deployment/joiner-shim')
    expect(world.lines.at(-1)).toContain('portal.azure.com')
    expect(await left()).toEqual([])
  })

  it('asks for the address of the app where the API server admits ranges only, and proves nothing before', async () => {
    const { azure } = world
    const held = azure.getResource(azure.clusterResourceId)
    const admit = (authorizedIPRanges: readonly string[]): void =>
      azure.putResource({
        id: azure.clusterResourceId,
        ...held,
        properties: { ...(held?.['properties'] as object), apiServerAccessProfile: { authorizedIPRanges } },
      })
    admit(['20.1.2.3/32'])
    world.values.set('JOINER_OUTBOUND_ADDRESS', '20.9.9.9')
    expect(await runPostdeploy(deps())).toBe(0)
    expect(world.lines[1]).toContain('--api-server-authorized-ranges 20.1.2.3/32,20.9.9.9/32, then: azd up')
    admit(['20.1.2.3/32', '20.9.9.9/32'])
    world.lines.length = 0
    expect(await runPostdeploy(deps())).toBe(0)
    expect(world.lines[1]).toContain('reached a decision')
  })

  it('refuses to begin without what the templates put out', async () => {
    world.values.delete('JOINER_APP_ENDPOINT')
    await expect(runPostdeploy(deps())).rejects.toThrow(/JOINER_APP_ENDPOINT .*run: azd up/)
  })

  it('says that the events are left out after a failure, and that azd up makes them', async () => {
    behaviour.helm = 1
    expect(await runPostdeploy(deps())).toBe(1)
    expect(world.lines).toContain('No event subscription was made. Mend what FAIL says and run azd up again.')
  })

  it('gives no advice that would leave the events out', () => {
    const folder = join(repositoryRoot, 'infra/hooks')
    const sources = walk(folder, (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    expect(sources.length).toBeGreaterThan(8)
    expect(sources.filter((path) => /azd (hooks run postdeploy|deploy)\b/.test(readFileSync(join(folder, path), 'utf8')))).toEqual([])
  })

  it('takes away what a Helm that died left, and nothing else', async () => {
    const release = (name: string, status: string, version: number) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'helm.sh/release.v1',
      metadata: { name: `sh.helm.release.v1.${name}.v${version}`, namespace: 'joiner', labels: { owner: 'helm', name, status } },
    })
    const all = [release('joiner', 'deployed', 1), release('joiner', 'pending-upgrade', 2), release('other', 'pending-install', 1)]
    for (const each of all) expect((await call('POST', '/api/v1/namespaces/joiner/secrets', each)).code).toBe(201)
    await runPostdeploy(deps())
    const { body } = await call('GET', '/api/v1/namespaces/joiner/secrets')
    expect(body.items?.map(({ metadata }) => metadata.name).sort()).toEqual(['sh.helm.release.v1.joiner.v1', 'sh.helm.release.v1.other.v1'])
  })

  it('comes to the same end when it dies before or after any of its calls and runs again', async () => {
    const whole = cutOff(deps())
    expect(await runPostdeploy(whole)).toBe(0)
    const end = world.lines.join('\n')
    expect(whole.calls()).toContain('helm upgrade')
    for (const [at] of whole.calls().entries())
      for (const side of ['before', 'after'] as const) {
        world.values.delete('JOINER_APP_DEPLOYED')
        await call('DELETE', '/apis/apps/v1/namespaces/joiner/deployments/joiner-shim')
        const dying = cutOff(deps(), { at, side })
        // If the hook dies inside a call to the API server, it sees a server that does not answer.
        await runPostdeploy(dying).catch((error: unknown) => expect(error).toBeInstanceOf(Gone))
        expect(dying.isGone(), `${side} ${whole.calls()[at]}`).toBe(true)
        world.lines.length = 0
        expect(await runPostdeploy(deps()), world.lines.join('\n')).toBe(0)
        expect(world.lines.join('\n')).toBe(end)
        expect(await left()).toEqual([])
      }
  })
})
