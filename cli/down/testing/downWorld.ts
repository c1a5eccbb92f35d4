import type { KubeCall, KubeTransport } from '../../../shared/adapters/kube/kubeTransport.ts'
import { createMemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../../shared/adapters/memory/virtualClock.ts'
import { stepClaim } from '../../../shared/flows/lifecycle/stepClaim.ts'
import { clusterId, DEFAULT_MACHINE_NAMES, nodeClaimName } from '../../../shared/model/ids.ts'
import { FINALIZER } from '../../../shared/model/labels.ts'
import { durationMs } from '../../../shared/model/units.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import { NOW } from '../../../test/builders/clock.ts'
import { instance } from '../../../test/builders/instance.ts'
import { node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim, nodeNameOf } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { SILENT } from '../../../test/builders/telemetry.ts'
import type { Arm } from '../../armCall.ts'
import type { Installation } from '../azureRights.ts'
import type { DownCluster } from '../downCluster.ts'
import { stepInOwnProcess } from '../ownSteps.ts'
import type { DownDeps, DownRequest } from '../runDown.ts'
import { ARM_GROUP, createFakeArm, OTHER_SUBSCRIPTION, SUBSCRIPTION, TOKEN } from './fakeArm.ts'

export const NODE_GROUP = 'mc_shop'

/** The error that ends a process of the command in a test. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

export type AnyObject = {
  metadata: { name: string; namespace?: string; labels?: object; annotations?: object; finalizers?: readonly string[] }
}

/**
 * A cluster with its subscription in memory, an app that is alive or dead, and a clock that advances while the command waits. Objects without a typed
 * port (roles, Secrets and Helm releases) are stored by path.
 */
export function createDownWorld({ hasApp = true, deleteMs = 3_000 }: { readonly hasApp?: boolean; readonly deleteMs?: number } = {}) {
  const clock = createVirtualClock(NOW)
  const world = createMemoryWorld({ clock, cluster: clusterId('shop'), deleteMs })
  const objects = new Map<string, AnyObject>()
  const arm = createFakeArm()
  const printed: string[] = []
  const asked: string[] = []
  const app = { ...world.start().ports, settings: settings() }
  let isAppAlive = hasApp

  async function appWorks(): Promise<void> {
    if (!isAppAlive) return
    const deleting = world.objects.all('nodeClaim').filter(({ meta }) => meta.deletedAt !== undefined)
    for (const { name } of deleting) await stepClaim(app, { claim: name, because: 'news', isFollowed: false, attempt: 0 }, SIGNAL)
  }

  const waiting: Clock = {
    now: clock.now,
    async sleep(ms) {
      await appWorks()
      await clock.advance(ms)
      // The node of a machine that is gone stops reporting.
      for (const each of world.objects.all('node'))
        if (world.machines.find(each.name) === undefined && each.conditions.some(({ status }) => status === 'True'))
          world.objects.put('node', { ...each, conditions: each.conditions.map((one) => ({ ...one, status: 'Unknown' as const })) })
    },
  }

  const call: KubeTransport = async ({ method, path, query = {}, body }: KubeCall) => {
    if (path === '/api/v1/nodes')
      return items(world.objects.all('node').map(({ name, meta }) => ({ metadata: { name, finalizers: meta.finalizers } })))
    if (path === '/apis/karpenter.azure.com/v1beta1/aksnodeclasses')
      return items(world.objects.all('nodeClass').map(({ name, meta }) => ({ metadata: { name, finalizers: meta.finalizers } })))
    const found = objects.get(path)
    if (method === 'GET' && !isCollection(path)) return found === undefined ? missing(path) : { status: 200, json: found }
    if (method === 'GET')
      return items(
        [...objects]
          .filter(([key]) => isIn(key, path))
          .map(([, each]) => each)
          .filter((each) => matches(each, query['labelSelector'])),
      )
    if (method === 'DELETE') return objects.delete(path) ? { status: 200, json: {} } : missing(path)
    objects.set(path, body as AnyObject)
    return { status: 200, json: body }
  }

  const helm: DownCluster['helm'] = (args) => {
    const [verb, name = '', , namespace = ''] = verbOf(args)
    const secret = `/api/v1/namespaces/${namespace}/secrets/sh.helm.release.v1.${name}.v1`
    if (verb === 'get') return Promise.resolve(outcome(JSON.stringify({ name, chart: name === 'joiner-crd' ? 'joiner-crd' : 'joiner' })))
    objects.delete(secret)
    for (const [path, { metadata }] of objects)
      if ((metadata.annotations as { [key: string]: string } | undefined)?.['meta.helm.sh/release-name'] === name) objects.delete(path)
    return Promise.resolve(outcome(''))
  }

  const cluster: DownCluster = {
    id: world.cluster,
    resourceId: `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/shop`,
    subscriptionId: SUBSCRIPTION,
    nodeResourceGroup: NODE_GROUP,
    location: 'eastus',
    machineNames: DEFAULT_MACHINE_NAMES,
    usedIds: [],
    api: world.ports.api,
    cloud: world.ports.cloud,
    call,
    helm,
  }
  const installation: Installation = {
    subscriptionId: SUBSCRIPTION,
    resourceGroup: ARM_GROUP,
    token: TOKEN,
    principalIds: ['app-oid'],
    usedIds: [`/subscriptions/${OTHER_SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/net/subnets/nodes`],
    zoneIds: [`/subscriptions/${SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/privateDnsZones/zone`],
  }

  return {
    world,
    objects,
    arm,
    printed,
    asked,
    cluster,
    killApp: () => {
      isAppAlive = false
    },
    /** Adds a machine with its claim and node, created at the start of the world. */
    addMachine(name: string, shape: NodeClaimShape = {}) {
      world.objects.put('nodeClaim', nodeClaim({ name, ...shape }))
      world.objects.put('node', node({ claim: name, meta: { finalizers: [FINALIZER] } }))
      this.addInstance(name)
    },
    addInstance(name: string) {
      const made = { instance: instance({ claim: name, createdAt: NOW }), claim: nodeClaim({ name }), createdAt: NOW, runningAt: NOW }
      // The size of an existing machine is not used.
      world.machines.add({
        ...made,
        candidate: { choice: made.instance, instanceType: undefined as never, labels: {} },
        bootstrapToken: 'a.b',
      })
      const nic = nodeNameOf(nodeClaimName(name))
      world.machines.interfaces.set(nic, { name: nic, claim: nodeClaimName(name), createdAt: NOW })
    },
    /** Runs the command. Each call that leaves it goes through `around`. */
    async run(
      given: Partial<Omit<DownRequest, 'clusters' | 'installation'>> & { readonly clusters?: readonly DownCluster[] } = {},
      around: Around = (_, effect) => effect(),
      answer = true,
    ) {
      const { runDown } = await import('../runDown.ts')
      const { clusters = [cluster], by = 'app', ...more } = given
      const outside = clusters.map((each) => ({
        ...each,
        api: wrapped('api', each.api, around),
        cloud: wrapped('cloud', each.cloud, around),
        call: (...args: Parameters<KubeTransport>) => around(`kube ${args[0].method} ${args[0].path}`, () => each.call(...args)),
        helm: (args: readonly string[]) => around(`helm ${args.slice(0, 3).join(' ')}`, () => each.helm(args)),
      }))
      const guarded: Arm = (request, signal) => around(`arm ${request.method} ${request.path}`, () => arm.arm(request, signal))
      const deps: DownDeps = {
        arm: guarded,
        clock: waiting,
        print: (line) => void printed.push(line),
        ask: (question) => {
          asked.push(question)
          return Promise.resolve(answer)
        },
        step: stepInOwnProcess({ clock: waiting, telemetry: SILENT }),
        prices: () => Promise.resolve({ Standard_D4as_v6: { onDemand: 172_000, spot: 34_000 } }),
      }
      const wish = { machines: 'drain', limit: durationMs(600_000) } as const
      return runDown(
        { clusters: outside, installation, wish, release: { name: 'joiner', namespace: 'joiner' }, by, dryRun: false, ...more },
        deps,
        SIGNAL,
      )
    },
  }
}

export type Around = <Value>(name: string, effect: () => Promise<Value>) => Promise<Value>
const SIGNAL = new AbortController().signal

/** Returns a port whose calls go through `around`. */
function wrapped<Port extends object>(name: string, port: Port, around: Around): Port {
  return new Proxy(port, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key)
      if (typeof method !== 'function') return method
      return (...args: readonly unknown[]) => around(`${name}.${String(key)}`, () => Promise.resolve(Reflect.apply(method, target, args)))
    },
  })
}

function verbOf(args: readonly string[]): readonly string[] {
  return args[0] === 'get' ? ['get', ...args.slice(2)] : args
}

function outcome(out: string) {
  return { code: 0, out, errors: '' }
}

function items(found: readonly AnyObject[]) {
  return { status: 200, json: { items: found, metadata: {} } }
}

function missing(path: string) {
  return { status: 404, json: { message: 'not found', details: { name: path.split('/').at(-1) } } }
}

const COLLECTIONS = ['pods', 'secrets', 'leases', 'clusterroles']

function isCollection(path: string): boolean {
  return COLLECTIONS.includes(path.split('/').at(-1) ?? '')
}

/** Reports whether the object is in the collection. `/api/v1/secrets` contains the Secrets of every namespace. */
function isIn(key: string, collection: string): boolean {
  const parent = key.slice(0, key.lastIndexOf('/'))
  return parent === collection || (!collection.includes('/namespaces/') && parent.replace(/\/namespaces\/[^/]+/, '') === collection)
}

function matches({ metadata }: AnyObject, selector: string | undefined): boolean {
  if (selector === undefined) return true
  const labels = new Map(Object.entries(metadata.labels ?? {}))
  return selector.split(/,(?![^(]*\))/).every((term) => {
    const [, key = '', list] = /^(\S+) in \((.*)\)$/.exec(term) ?? []
    if (list !== undefined) return list.split(',').includes(String(labels.get(key)))
    const [name = '', value] = term.split('=')
    return value === undefined ? labels.has(name) : labels.get(name) === value
  })
}
