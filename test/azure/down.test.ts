import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type TakeDown, takeDown } from '../../cli/cleanup.ts'
import { type Access, openAccess } from '../../cli/clusterAccess.ts'
import type { RunProgram } from '../../cli/down/runProgram.ts'
import { createFakeArm } from '../../cli/down/testing/fakeArm.ts'
import { startKubernetes } from '../../local/kubernetes/startKubernetes.ts'
import { callServer } from '../../local/kubernetes/testing/withServer.ts'
import { durationMs, epochMs } from '../../shared/model/units.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import { installation } from '../builders/installation.ts'
import { armCall, nicBody, nicPath, vmBody, vmPath } from './armCall.ts'
import { startHarness } from './harness.ts'

const DEFINITIONS = new URL('../../charts/joiner-crd/templates/', import.meta.url)
const SPEED = 100
const CLAIMS = '/apis/karpenter.sh/v1/nodeclaims'
const FINALIZER = 'karpenter.sh/termination'
const TOKENS = '/api/v1/namespaces/kube-system/secrets'
const PDB = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

let harness: Awaited<ReturnType<typeof startHarness>>
let server: Awaited<ReturnType<typeof startKubernetes>>
let printed: string[] = []
const fake = createFakeArm()

beforeAll(async () => {
  harness = await startHarness({
    speed: SPEED,
    durations: { nic: 200, vmCreate: 200, vmBoot: 200, vmDelete: 2_000, nicReservation: 1_000 },
  })
  server = await startKubernetes()
  for (const file of readdirSync(DEFINITIONS))
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', parse(readFileSync(new URL(file, DEFINITIONS), 'utf8')))
  const { azure } = harness
  const authority = Buffer.from(server.caCertificate).toString('base64')
  const kubeconfig = JSON.stringify({ clusters: [{ cluster: { server: server.url, 'certificate-authority-data': authority } }] })
  azure.putResource({ id: azure.clusterResourceId, ...azure.getResource(azure.clusterResourceId), kubeconfig })
})
afterAll(async () => {
  await harness.azure.close()
  await server.close()
})
beforeEach(() => {
  printed = []
})

async function call(method: string, path: string, body?: unknown) {
  const answer = await callServer(server, { token: server.adminToken, method, path, body })
  if (answer.code >= 300 && method === 'POST') throw new Error(`${method} ${path}: ${answer.code} ${JSON.stringify(answer.body)}`)
  return answer as { code: number; body: { items?: { metadata: { name: string; deletionTimestamp?: string } }[]; metadata?: object } }
}

const namesAt = async (path: string) => ((await call('GET', path)).body.items ?? []).map(({ metadata }) => metadata.name).sort()

/** A clock that advances while somebody sleeps, at the speed of the emulator. Each sleep also removes deleted pods, as kubelets do. */
const started = Date.now()
let slept = 0
const clock: Clock = {
  now: () => epochMs(started + slept),
  async sleep(ms) {
    slept += ms
    for (const { metadata } of (await call('GET', '/api/v1/namespaces/default/pods')).body.items ?? [])
      if (metadata.deletionTimestamp !== undefined)
        await call('DELETE', `/api/v1/namespaces/default/pods/${metadata.name}`, { gracePeriodSeconds: 0 })
    await new Promise((resolve) => setTimeout(resolve, ms / SPEED))
  },
}

/** The local ARM serves what it can. `fake` serves roles, assignments, event topics, peerings and private DNS zones. */
function access(): Access {
  const { credential, arm } = harness
  const opened = openAccess({}, { credential, armOptions: { endpoint: arm.endpoint, ca: arm.ca }, clock })
  return {
    ...opened,
    token: () => Promise.resolve(server.adminToken),
    arm: (request, signal) =>
      /Microsoft\.(Authorization|EventGrid|ManagedIdentity)|virtualNetworkPeerings|privateDnsZones/i.test(request.path)
        ? fake.arm(request, signal)
        : opened.arm(request, signal),
  }
}

const noHelm: RunProgram = () => Promise.resolve({ code: 1, out: '', errors: 'there is no Helm here' })

function run(more: Partial<TakeDown> = {}, runProgram = noHelm) {
  const { azure } = harness
  const request: TakeDown = {
    clusters: [{ resourceId: azure.clusterResourceId, name: 'demo' }],
    installation: installation(azure.subscriptionId),
    wish: { machines: 'drain', limit: durationMs(600_000) },
    release: { name: 'joiner', namespace: 'joiner' },
    by: 'self',
    dryRun: false,
    ...more,
  }
  const environment = { PRICES_ENDPOINT: azure.pricesUrl }
  return takeDown(
    request,
    { access: access(), run: runProgram, environment, print: (line) => void printed.push(line) },
    new AbortController().signal,
  )
}

/** Adds a VM as the app makes it, for this cluster or another. */
async function addVm(name: string, tags: object = { 'joiner.dev_cluster': 'demo' }) {
  const { azure } = harness
  await armCall(azure, 'PUT', nicPath(azure, name), { body: { ...nicBody(azure), tags } })
  const put = await armCall(azure, 'PUT', vmPath(azure, name), { body: vmBody(azure, name, { top: { tags } }) })
  if (put.status >= 300) throw new Error(JSON.stringify(put.body))
}

async function addClaim(name: string, conditions: readonly string[] = ['Launched', 'Registered']) {
  const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' }
  const metadata = {
    name,
    labels: {
      'karpenter.sh/nodepool': 'default',
      'node.kubernetes.io/instance-type': 'Standard_D2as_v6',
      'karpenter.sh/capacity-type': 'on-demand',
    },
    finalizers: [FINALIZER],
  }
  await call('POST', CLAIMS, { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata, spec: { nodeClassRef, requirements: [] } })
  const at = new Date(started).toISOString()
  const status = {
    nodeName: `joiner-${name}`,
    conditions: conditions.map((type) => ({ type, status: 'True', reason: type, message: '', lastTransitionTime: at })),
  }
  const patched = await callServer(server, {
    token: server.adminToken,
    method: 'PATCH',
    path: `${CLAIMS}/${name}/status`,
    body: { status },
    type: 'application/merge-patch+json',
  })
  if (patched.code !== 200) throw new Error(JSON.stringify(patched.body))
}

async function addNode(name: string) {
  const metadata = { name: `joiner-${name}`, labels: { 'karpenter.sh/nodepool': 'default' }, finalizers: [FINALIZER] }
  await call('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata })
}

/** Adds a machine that has joined: its VM, claim and node. */
async function addMachine(name: string) {
  await addVm(`joiner-${name}`)
  await addClaim(name)
  await addNode(name)
}

async function addToken(id: string) {
  const stringData = { 'token-id': id, 'token-secret': '0123456789abcdef', 'auth-extra-groups': 'system:bootstrappers:joiner' }
  const metadata = { name: `bootstrap-token-${id}` }
  await call('POST', TOKENS, { apiVersion: 'v1', kind: 'Secret', type: 'bootstrap.kubernetes.io/token', metadata, stringData })
}

async function addPod(name: string, node: string) {
  const spec = { nodeName: `joiner-${node}`, containers: [{ name: 'main', image: 'pause' }] }
  await call('POST', '/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: name } }, spec })
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }]
  await call('PATCH', `/api/v1/namespaces/default/pods/${name}/status`, { status: { phase: 'Running', conditions } })
}

const stateOfAzure = () => {
  const { vms, nics, disks } = harness.azure.state()
  return { vms: vms.map(({ name }) => name).sort(), nics: nics.map(({ name }) => name).sort(), disks: disks.map(({ name }) => name).sort() }
}

describe('taking Joiner away on a real API server and ARM', () => {
  it('drains and deletes its machines, and touches no other', async () => {
    await addVm('joiner-other', { 'joiner.dev_cluster': 'elsewhere' })
    await addVm('joiner-untagged', {})
    await addVm('aks-system-1', {})
    const before = stateOfAzure()
    for (const name of ['a', 'b']) await addMachine(name)
    await addPod('web', 'a')
    await addClaim('unmade', [])
    await addVm('joiner-orphan')
    expect(await run({ dryRun: true })).toBe(0)
    expect(printed).toContain('would be removed: demo: 3 nodeclaims, 3 machines')
    expect(printed[0]).toMatch(/^demo: 4 machines, \$[\d.]+\/h$/)
    expect(await namesAt(CLAIMS)).toEqual(['a', 'b', 'unmade'])
    expect(await run()).toBe(0)
    expect(printed.at(-1)).toBe('nothing is left')
    expect(await namesAt(CLAIMS)).toEqual([])
    expect(await namesAt('/api/v1/nodes')).toEqual([])
    expect(await namesAt('/api/v1/namespaces/default/pods')).toEqual([])
    expect(stateOfAzure()).toEqual(before)
  })

  it('finds what is left where the chart went first: nodeclaims and nodes that hang, machines and tokens', async () => {
    const before = stateOfAzure()
    for (const name of ['hangs', 'stands']) await addMachine(name)
    await addPod('api', 'stands')
    await addVm('joiner-unclaimed')
    await addToken('abcdef')
    // Deleted after nothing removes finalizers any more.
    await call('DELETE', `${CLAIMS}/hangs`)
    await call('DELETE', '/api/v1/nodes/joiner-hangs')
    expect([await namesAt(CLAIMS), await namesAt('/api/v1/nodes')]).toEqual([
      ['hangs', 'stands'],
      ['joiner-hangs', 'joiner-stands'],
    ])
    expect(await run()).toBe(0)
    expect(printed.at(-1)).toBe('nothing is left')
    for (const path of [CLAIMS, '/api/v1/nodes', '/api/v1/namespaces/default/pods', TOKENS]) expect(await namesAt(path)).toEqual([])
    expect(stateOfAzure()).toEqual(before)
  })

  it('names the budget that never lets go, and goes on once it does', async () => {
    await addVm('joiner-held')
    await addClaim('held')
    await addNode('held')
    await addPod('db', 'held')
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'db' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'db' } } },
    }
    await call('POST', PDB, budget)
    expect(await run({ wish: { machines: 'drain', limit: durationMs(60_000) } })).toBe(1)
    expect(printed.join('\n')).toContain('1 pod is waiting to be evicted; poddisruptionbudget default/db holds pod default/db')
    expect(stateOfAzure().vms).toContain('joiner-held')
    await call('DELETE', `${PDB}/db`)
    expect(await run()).toBe(0)
    expect(stateOfAzure().vms).not.toContain('joiner-held')
  })

  it.each([403, 409, 429, 500])('gets by where ARM answers a deletion with %i', async (status) => {
    await addVm('joiner-slow')
    await addClaim('slow')
    harness.azure.script.http({
      method: 'DELETE',
      path: 'virtualMachines/joiner-slow',
      status,
      times: 3,
      code: 'Busy',
      message: 'not now',
    } as never)
    const first = await run()
    if (status === 403) {
      expect(first).toBe(1)
      expect(printed.join('\n')).toContain('AZURE.FORBIDDEN')
      harness.azure.script.clear()
      expect(await run()).toBe(0)
    } else expect(first).toBe(0)
    expect(stateOfAzure().vms).not.toContain('joiner-slow')
    harness.azure.script.clear()
  })

  it('passes by a cluster that does not exist any more', async () => {
    const missing = `${harness.azure.clusterResourceId}x`
    expect(await run({ clusters: [{ resourceId: missing }] })).toBe(0)
    expect(printed).toEqual([`cluster ${missing} does not exist any more, and its machines went with it`, 'nothing is left'])
  })
})
