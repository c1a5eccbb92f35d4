import { CLASS_FINALIZER } from '../../../shared/model/labels.ts'
import { nodeNameOf } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { pod } from '../../../test/builders/pod.ts'
import { createDownWorld, NODE_GROUP } from './downWorld.ts'
import { ARM_GROUP, OTHER_SUBSCRIPTION, SUBSCRIPTION, TOKEN } from './fakeArm.ts'

export const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/joiner-app'
const OWN = `/subscriptions/${SUBSCRIPTION}/resourceGroups/${ARM_GROUP}`
export const NODES = `/subscriptions/${SUBSCRIPTION}/resourceGroups/${NODE_GROUP}`
export const ASSIGNMENTS = 'providers/Microsoft.Authorization/roleAssignments'
export const roleId = (name: string): string => `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/${name}`

type DownWorld = ReturnType<typeof createDownWorld>

/**
 * An installation with two machines, a claim without a machine, a machine, an interface and a disk without a claim, charts, permissions, and similar
 * resources of other owners.
 */
export function installed(options: Parameters<typeof createDownWorld>[0] = {}): DownWorld {
  const down = createDownWorld(options)
  const { world, objects, arm } = down
  for (const name of ['a', 'b']) {
    down.addMachine(name)
    down.addInstance(name)
  }
  world.objects.put('pod', pod({ name: 'web', nodeName: nodeNameOf('a'), phase: 'Running' }))
  down.addInstance('orphan')
  for (const name of ['default', 'other'])
    world.objects.put('nodeClass', nodeClass({ name, meta: { finalizers: [CLASS_FINALIZER, 'of/another'] } }))
  world.machines.interfaces.set(nodeNameOf('nic'), { name: nodeNameOf('nic'), claim: 'nic' as never, createdAt: world.clock.now() })
  const managed = {
    labels: { 'app.kubernetes.io/part-of': 'joiner', 'app.kubernetes.io/component': 'app' },
    annotations: { 'meta.helm.sh/release-name': 'joiner' },
  }
  objects.set(ROLE, {
    metadata: { name: 'joiner-app', ...managed },
    rules: [
      { apiGroups: ['karpenter.sh'], resources: ['nodeclaims'], verbs: ['create', 'delete', 'get'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create'] },
    ],
  } as never)
  for (const [name, namespace] of [
    ['joiner', 'joiner'],
    ['joiner-crd', 'joiner'],
    ['shop', 'joiner'],
  ] as const)
    objects.set(`/api/v1/namespaces/${namespace}/secrets/sh.helm.release.v1.${name}.v1`, {
      metadata: { name: `sh.helm.release.v1.${name}.v1`, namespace, labels: { owner: 'helm', name } },
    })
  const token = (group: string) => ({ data: { 'auth-extra-groups': Buffer.from(group).toString('base64') } })
  objects.set('/api/v1/namespaces/kube-system/secrets/bootstrap-token-aaaaaa', {
    metadata: { name: 'bootstrap-token-aaaaaa' },
    ...token('system:bootstrappers:joiner,system:bootstrappers:joiner:joiner-a'),
  })
  objects.set('/api/v1/namespaces/kube-system/secrets/bootstrap-token-bbbbbb', {
    metadata: { name: 'bootstrap-token-bbbbbb' },
    ...token('system:bootstrappers:kubeadm'),
  })
  objects.set('/apis/coordination.k8s.io/v1/namespaces/joiner/leases/joiner-shim', { metadata: { name: 'joiner-shim' } })
  objects.set('/api/v1/namespaces/joiner/pods/joiner-first-decision', { metadata: { name: 'joiner-first-decision' } })
  objects.set('/api/v1/namespaces/joiner/pods/web', { metadata: { name: 'web' } })
  putResources(arm)
  return down
}

/** Puts what is in Azure beside the machines: disks, roles and assignments, peerings, zone links and event subscriptions, of Joiner and of others. */
function putResources(arm: DownWorld['arm']): void {
  arm.put(`${NODES}/providers/Microsoft.Compute/disks/joiner-left`, { properties: { diskState: 'Unattached' } })
  arm.put(`${NODES}/providers/Microsoft.Compute/disks/joiner-used`, { properties: { diskState: 'Attached' }, managedBy: 'vm' })
  arm.put(`${NODES}/providers/Microsoft.Compute/disks/aks-left`, { properties: { diskState: 'Unattached' } })
  arm.put(roleId('r1'), { properties: { type: 'CustomRole', roleName: `Joiner node group ${TOKEN}` } })
  arm.put(roleId('r2'), { properties: { type: 'CustomRole', roleName: 'Joiner node group otherletters1' } })
  const assign = (scope: string, name: string, principalId: string, role: string, more = {}) =>
    arm.put(`${scope}/${ASSIGNMENTS}/${name}`, { properties: { principalId, roleDefinitionId: roleId(role), ...more } })
  assign(NODES, 'as1', 'APP-OID', 'r1')
  assign(NODES, 'as2', 'gone-oid', 'r1')
  assign(NODES, 'as3', 'other-oid', 'r2')
  assign(OWN, 'as4', 'app-oid', 'builtin')
  assign(NODES, 'as6', 'gone-oid', 'builtin', { description: `joiner-${TOKEN}` })
  assign(NODES, 'as7', 'gone-oid', 'builtin', { description: 'joiner-otherletters1' })
  const other = `/subscriptions/${OTHER_SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/net`
  assign(`${other}/subnets/nodes`, 'as5', 'app-oid', 'r1')
  arm.put(`${other}/virtualNetworkPeerings/joiner-${TOKEN}`)
  arm.put(`${other}/virtualNetworkPeerings/hub`)
  arm.put(
    `/subscriptions/${SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/privateDnsZones/zone/virtualNetworkLinks/joiner-${TOKEN}`,
  )
  const aksZone = `${NODES}/providers/Microsoft.Network/privateDnsZones/x.privatelink.eastus.azmk8s.io`
  arm.put(aksZone)
  arm.put(`${aksZone}/virtualNetworkLinks/joiner-${TOKEN}`)
  const topic = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shared/providers/Microsoft.EventGrid/systemTopics/health`
  arm.put(topic)
  arm.put(`${topic}/eventSubscriptions/joiner-${TOKEN}-x`)
  arm.put(`${topic}/eventSubscriptions/other`)
}

/** Returns everything that exists, of Joiner and of others. */
export function stateOf({ world, objects, arm }: DownWorld): readonly string[] {
  return [
    ...world.objects.all('nodeClaim').map(({ name }) => `claim ${name}`),
    ...world.objects.all('node').map(({ name }) => `node ${name}`),
    ...world.machines.all().map(({ instance }) => `machine ${instance.name}`),
    ...world.objects.all('nodeClass').map(({ name, meta }) => `class ${name} ${meta.finalizers.join()}`),
    ...[...world.machines.interfaces.keys()].map((name) => `nic ${name}`),
    ...objects.keys(),
    ...arm.ids(),
  ].sort()
}

export const OF_OTHERS = [
  '/api/v1/namespaces/joiner/pods/web',
  '/api/v1/namespaces/joiner/secrets/sh.helm.release.v1.shop.v1',
  '/api/v1/namespaces/kube-system/secrets/bootstrap-token-bbbbbb',
  'class default of/another',
  'class other of/another',
  ...[
    `${NODES}/providers/Microsoft.Compute/disks/joiner-used`,
    `${NODES}/providers/Microsoft.Compute/disks/aks-left`,
    `${NODES}/${ASSIGNMENTS}/as3`,
    `${NODES}/${ASSIGNMENTS}/as7`,
    `${NODES}/providers/Microsoft.Network/privateDnsZones/x.privatelink.eastus.azmk8s.io`,
    `${OWN}/${ASSIGNMENTS}/as4`,
    roleId('r2'),
    `/subscriptions/${OTHER_SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/net/virtualNetworkPeerings/hub`,
    `/subscriptions/${SUBSCRIPTION}/resourceGroups/shared/providers/Microsoft.EventGrid/systemTopics/health`,
    `/subscriptions/${SUBSCRIPTION}/resourceGroups/shared/providers/Microsoft.EventGrid/systemTopics/health/eventSubscriptions/other`,
  ].map((id) => id.toLowerCase()),
].sort()
