import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { JSONWebKeySet } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startKubernetes } from '../../local/kubernetes/startKubernetes.ts'
import { callServer } from '../../local/kubernetes/testing/withServer.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { PROBLEM_CODES } from '../../shared/model/problem.ts'
import { startHarness } from './harness.ts'

const AKS_SERVER_APP = '6dae42f8-4368-4678-94ff-3960e28e3630'
const FINE = 'ok    local: Entra, OIDC issuer, workload identity, Kubernetes 1.34.0, azure overlay with cilium'

let harness: Awaited<ReturnType<typeof startHarness>>
let server: Awaited<ReturnType<typeof startKubernetes>>
const folder = mkdtempSync(join(tmpdir(), 'joiner-preflight-'))
beforeAll(async () => {
  harness = await startHarness({ needsRoles: true })
  const { azure } = harness
  server = await startKubernetes({ oidc: { issuer: azure.issuer, audience: AKS_SERVER_APP, keys: await keysOf(azure) } })
  writeFileSync(join(folder, 'ca.pem'), azure.caCertificate)
  const authority = Buffer.from(server.caCertificate).toString('base64')
  const kubeconfig = JSON.stringify({ clusters: [{ cluster: { server: server.url, 'certificate-authority-data': authority } }] })
  azure.putResource({ id: azure.clusterResourceId, ...azure.getResource(azure.clusterResourceId), kubeconfig })
  await call('POST', '/api/v1/namespaces', { metadata: { name: 'joiner' } })
})
afterAll(async () => {
  await harness.azure.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  may('*')
  program('helm', 'echo v3.19.0')
})

async function call(method: string, path: string, body: object): Promise<void> {
  const answer = await callServer(server, { token: server.adminToken, method, path, body })
  if (answer.code >= 300) throw new Error(JSON.stringify(answer))
}

function keysOf({ jwksUri, caCertificate: ca }: { readonly jwksUri: string; readonly caCertificate: string }): Promise<JSONWebKeySet> {
  return new Promise((resolve, reject) => {
    const asked = jwksUri.startsWith('https:') ? get(jwksUri, { ca }, answered) : undefined
    if (asked === undefined) void fetch(jwksUri).then(async (answer) => resolve((await answer.json()) as JSONWebKeySet), reject)
    asked?.once('error', reject)
    function answered(answer: Parameters<typeof json>[0]): void {
      json(answer).then((body) => resolve(body as JSONWebKeySet), reject)
    }
  })
}

/** Gives the logged-in caller these actions in the subscription. */
function may(...actions: readonly string[]): void {
  const { access, managedIdentities, subscriptionId } = harness.azure
  access.define({ id: 'theirs', actions })
  access.assign('a1', { principalId: managedIdentities[0]?.objectId ?? '', roleId: 'theirs', scope: `/subscriptions/${subscriptionId}` })
}

/** Adds a program that the path finds before any other of its name. */
function program(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, name), 0o755)
}

type Outcome = { readonly code: number; readonly out: string; readonly lines: readonly string[] }

/** Runs a program as a user or azd runs it, with the managed identity of the machine. */
function run(args: readonly string[], more: { readonly [name: string]: string } = {}): Promise<Outcome> {
  const { azure } = harness
  const env = {
    PATH: `${folder}:/usr/bin:/bin`,
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    ARM_ENDPOINT: azure.armUrl,
    AZURE_CLIENT_ID: azure.managedIdentities[0]?.clientId,
    IDENTITY_ENDPOINT: azure.identityEndpoint,
    IDENTITY_HEADER: azure.identityHeader,
    // Nobody listens there: no test asks a registry of the internet.
    JOINER_SHIM_IMAGE: '127.0.0.1:1/shim:1',
    ...more,
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [...args], { env, cwd: repositoryRoot }, (error, out, errors) => {
      const text = `${out}${errors}`
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: text, lines: text.trimEnd().split('\n') })
    })
  })
}
const preflight = (args: readonly string[], more = {}): Promise<Outcome> => run(['cli/main.ts', 'preflight', ...args], more)
const hook = (more: { readonly [name: string]: string }): Promise<Outcome> => run(['infra/hooks/preprovision.ts'], more)

function change(properties: object): void {
  const { azure } = harness
  const held = azure.getResource(azure.clusterResourceId)
  if (held === undefined) throw new Error('there is no cluster')
  azure.putResource({ ...held, properties: { ...(held['properties'] as object), ...properties } })
}

/** The codes of the findings in the order in which they are printed. */
const codesOf = (lines: readonly string[]): readonly string[] => lines.flatMap((line) => /^(?:FAIL|warn) {2}(\S+)/.exec(line)?.[1] ?? [])
/** The lines without the line that only the hook prints. */
const withoutOwn = (lines: readonly string[]): readonly string[] => lines.filter((line) => !line.startsWith('Nothing was made'))

describe('npx joiner preflight', () => {
  it('says that nothing is in the way, and names what was not looked at', async () => {
    const { code, lines } = await preflight(['--cluster', harness.azure.clusterResourceId])
    const cost = expect.stringMatching(
      /^cost {2}idle \$\d+ a month at list prices, and about \$0\.\d{3} for each machine that comes and goes: docs\/cost\.md$/,
    )
    const skipped = ['name: no environment of azd is named', 'region: no location is named', 'image 127.0.0.1:1/shim:1: fetch failed']
    expect([code, lines]).toEqual([0, [FINE, ...skipped.map((each) => `skip  ${each}`), cost]])
  })

  it('shows all that the hook of azd checks, in the words of the hook', async () => {
    const { azure } = harness
    const { clusterResourceId: id } = azure
    const subnet = `/subscriptions/${azure.subscriptionId}/resourceGroups/${azure.resourceGroups[0]}/providers/Microsoft.Network/virtualNetworks/v/subnets/app`
    azure.putResource({ id: subnet, name: 'app', properties: { addressPrefix: '10.0.0.0/29', ipConfigurations: [{ id: 'nic-1' }] } })
    azure.setProvider('Microsoft.App', 'NotRegistered')
    program('helm', 'echo v3.9.4')
    may('*/read', 'Microsoft.ContainerService/managedClusters/listClusterUserCredential/action')
    const packed = gzipSync(JSON.stringify({ chart: { metadata: { version: '99.0.0' } } })).toString('base64')
    const labels = { owner: 'helm', name: 'joiner', status: 'deployed', version: '1' }
    const release = {
      metadata: { name: 'sh.helm.release.v1.joiner.v1', labels },
      data: { release: Buffer.from(packed).toString('base64') },
    }
    await call('POST', '/api/v1/namespaces/joiner/secrets', release)
    change({ apiServerAccessProfile: { authorizedIPRanges: ['10.0.0.0/8'] } })
    const wishes = {
      AZURE_ENV_NAME: 'e'.repeat(41),
      AZURE_SUBSCRIPTION_ID: azure.subscriptionId,
      AZURE_LOCATION: 'West India',
      JOINER_CLUSTER_IDS: id,
      JOINER_NETWORK: 'vnet',
      JOINER_SUBNETS: JSON.stringify({ app: subnet }),
    }
    program('azd', `echo '${JSON.stringify(wishes)}'`)
    const shown = await preflight(['--env', wishes.AZURE_ENV_NAME])
    const said = await hook(wishes)
    const asJson = await preflight(['--env', wishes.AZURE_ENV_NAME, '--format', 'json'])
    azure.setProvider('Microsoft.App', 'Registered')
    change({ apiServerAccessProfile: undefined })
    await call('DELETE', `/api/v1/namespaces/joiner/secrets/${release.metadata.name}`, {})
    expect([shown.code, said.code, asJson.code]).toEqual([1, 1, 1])
    expect(shown.lines).toEqual(withoutOwn(said.lines))
    const beside = ['NAME', 'REGION', 'TOOL', 'RIGHTS', 'PROVIDER', 'SUBNET', 'CHART'].map((each) => `PREFLIGHT.${each}`)
    expect(new Set(codesOf(shown.lines))).toEqual(new Set(['PREFLIGHT.AUTHORIZED_RANGES', ...beside]))
    expect(beside.filter((each) => !PROBLEM_CODES.some((known) => known === each))).toEqual([])
    const told = JSON.parse(asJson.out) as Told
    const findings = [...told.clusters.flatMap((each) => each.findings), ...told.installation]
    expect([told.failed, findings.map((each) => each.code)]).toEqual([true, codesOf(shown.lines)])
    // Neither program makes or registers anything.
    expect(azure.requests.all().filter(({ method, path }) => method !== 'GET' && !path.endsWith('/listClusterUserCredential'))).toEqual([])
  })

  const deploymentOf = (image: string, labels: object = {}) => ({
    metadata: { name: 'other', namespace: 'joiner', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'other' } },
      template: { metadata: { labels: { app: 'other' } }, spec: { containers: [{ name: 'c', image }] } },
    },
  })
  const leaseOf = (holderIdentity: string, secondsAgo: number) => ({
    metadata: { name: 'karpenter-leader-election', namespace: 'joiner' },
    spec: {
      holderIdentity,
      leaseDurationSeconds: 15,
      renewTime: new Date(Date.now() - secondsAgo * 1_000).toISOString().replace('Z', '000Z'),
    },
  })
  const [DEPLOYMENTS, LEASES] = ['/apis/apps/v1/namespaces/joiner/deployments', '/apis/coordination.k8s.io/v1/namespaces/joiner/leases']

  it.each<[string, string, ReturnType<typeof deploymentOf> | ReturnType<typeof leaseOf>, string | undefined]>([
    [
      'Karpenter by its image',
      DEPLOYMENTS,
      deploymentOf('mcr.microsoft.com/aks/karpenter/controller:1.6.3'),
      'Karpenter runs, as the Deployment joiner/other',
    ],
    [
      'Karpenter by its chart',
      DEPLOYMENTS,
      deploymentOf('own.example/k:1', { 'app.kubernetes.io/name': 'karpenter' }),
      'Karpenter runs, as the Deployment',
    ],
    [
      'a Cluster Autoscaler of their own',
      DEPLOYMENTS,
      deploymentOf('registry.k8s.io/autoscaling/cluster-autoscaler:v1.34.1'),
      'Cluster Autoscaler runs',
    ],
    ['another program', DEPLOYMENTS, deploymentOf('own.example/karpenter-dashboard:1'), undefined],
    ['a Karpenter elsewhere by its Lease', LEASES, leaseOf('laptop_1', 3), 'Karpenter runs, as the Lease joiner/karpenter-leader-election'],
    ['a Lease that was given back', LEASES, leaseOf('', 3), undefined],
    ['a Lease that nobody renews', LEASES, leaseOf('karpenter-1', 600), undefined],
  ])('finds %s', async (_, path, object, words) => {
    await call('POST', path, object)
    const { code, lines } = await preflight(['--cluster', harness.azure.clusterResourceId])
    await call('DELETE', `${path}/${object.metadata.name}`, {})
    const found = lines.filter((line) => line.startsWith('FAIL'))
    expect([code, found]).toEqual(
      words === undefined ? [0, []] : [1, [expect.stringContaining(`FAIL  PREFLIGHT.OTHER_PROVISIONER   local: ${words}`)]],
    )
  })

  it('finds pools with the cluster autoscaler', async () => {
    const pools = (enableAutoScaling: boolean) => [
      { name: 'system', mode: 'System', count: 1, type: 'VirtualMachineScaleSets', enableAutoScaling },
    ]
    change({ agentPoolProfiles: pools(true) })
    const { code, out } = await preflight(['--cluster', harness.azure.clusterResourceId])
    change({ agentPoolProfiles: pools(false) })
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/\nFAIL {2}PREFLIGHT\.OTHER_PROVISIONER {3}local: .*; run: az aks nodepool update .* --name system /),
    ])
  })

  it('names what Azure does not tell', async () => {
    may('Microsoft.ContainerService/managedClusters/*', 'Microsoft.Network/*/read')
    const { code, lines } = await preflight(['--cluster', harness.azure.clusterResourceId, '--location', 'eastus'])
    expect(code, lines.join('\n')).toBe(0)
    const skipped = lines.filter((line) => line.startsWith('skip  ') && line.includes('403 AuthorizationFailed'))
    for (const what of ['regions with Flex Consumption', 'resource providers Microsoft.App, ', 'rights on /subscriptions/'])
      expect(skipped.filter((line) => line.startsWith(`skip  ${what}`)).length, lines.join('\n')).toBeGreaterThan(0)
  })

  it('names a cluster that is not there, and looks at the others', async () => {
    const missing = `${harness.azure.clusterResourceId}x`
    change({ nodeResourceGroupProfile: { restrictionLevel: 'ReadOnly' } })
    const { code, out } = await preflight(['--cluster', missing, '--cluster', harness.azure.clusterResourceId])
    change({ nodeResourceGroupProfile: undefined })
    expect(code).toBe(1)
    expect(out.split('\n')[0]).toContain('AZURE.NOT_FOUND')
    expect(out.split('\n')[0]).toContain(missing)
    expect(out).toMatch(/\nFAIL {2}PREFLIGHT\.NODE_GROUP_LOCKED {3}local: .*; run: az aks update .* Unrestricted\n/)
  })

  it('fails where the API server is not to be reached from here', async () => {
    await server.pause()
    const { code, out } = await preflight(['--cluster', harness.azure.clusterResourceId])
    await server.resume()
    expect([code, out]).toEqual([1, expect.stringMatching(/^ok .*\nFAIL {2}KUBE\.FAILED {3}.*the API server cannot be reached\n/)])
  })

  it.each<[readonly string[], string, string]>([
    [['--cluster', 'shop'], 'exit 1', '--cluster shop is not the resource id of a managed cluster'],
    [[], 'exit 1', 'no cluster is named: say --cluster, or --env'],
    [['--subscription', 's'], 'exit 1', 'JOINER_CLUSTER_IDS: names no cluster'],
  ])('ends %j with 2 and its usage where it does not understand', async (args, azd, why) => {
    program('azd', azd)
    const { code, out } = await preflight(args)
    expect([code, out]).toEqual([2, expect.stringContaining(why)])
    expect(out).toContain('npx joiner preflight --cluster')
  })

  it.each([
    ['echo there is none >&2; exit 1', 'azd does not tell the values of environment other: there is none'],
    ['echo AZURE=1', 'what azd tells of environment other is not JSON'],
  ])('ends with 1 where azd does not tell an environment: %s', async (azd, why) => {
    program('azd', azd)
    const { code, out } = await preflight(['--env', 'other'])
    expect([code, out.trim()]).toEqual([1, why])
  })
})

type Told = {
  readonly failed: boolean
  readonly clusters: readonly { readonly findings: readonly { readonly code: string }[] }[]
  readonly installation: readonly { readonly code: string }[]
}
