// The cluster before a migration: a Karpenter that Helm installed, with charts that have the names of the real ones, a NodePool of v1beta1 in a file,
// and a team whose pod runs on a node pool of AKS.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node, Pod } from '../../../local/cluster/client/objects.ts'
import { repositoryRoot } from '../../floors.ts'
import { until } from '../until.ts'
import type { World } from '../world/startWorld.ts'
import { required, SYSTEM, TEAM, TEAM_NODE } from '../world/systemNodes.ts'
import { OLD_FILE } from './rows.ts'

const OLD_POOL = `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata:
  name: old
spec:
  template:
    spec:
      nodeClassRef:
        apiVersion: karpenter.azure.com/v1alpha2
        kind: AKSNodeClass
        name: old
      taints:
        - key: team
          value: old
          effect: NoSchedule
      requirements:
        - key: kubernetes.io/arch
          operator: In
          values: [amd64]
  disruption:
    consolidationPolicy: WhenUnderutilized
    expireAfter: 720h
---
apiVersion: karpenter.azure.com/v1alpha2
kind: AKSNodeClass
metadata:
  name: old
spec:
  imageFamily: Ubuntu2204
`

/** Writes the charts and the file. Returns the commands that make the cluster as it was. */
export function formerProvisioner(folder: string): readonly string[] {
  const chartOf = (name: string): string => {
    const chart = join(folder, 'former', name)
    mkdirSync(join(chart, 'templates'), { recursive: true })
    writeFileSync(join(chart, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`)
    return chart
  }
  writeFileSync(join(chartOf('karpenter'), 'templates', 'deployment.yaml'), deploymentOf('karpenter', 'kube-system', SYSTEM.taint))
  cpSync(join(repositoryRoot, 'charts', 'joiner-crd', 'templates'), join(chartOf('karpenter-crd'), 'templates'), { recursive: true })
  writeFileSync(join(folder, OLD_FILE), OLD_POOL)
  writeFileSync(join(folder, 'team.yaml'), deploymentOf('team', 'default', TEAM.taint))
  return [
    'helm install karpenter-crd former/karpenter-crd --namespace kube-system',
    'helm install karpenter former/karpenter --namespace kube-system',
    'kubectl apply -f team.yaml',
    'kubectl wait deployment team --for condition=Available --timeout 60s',
  ]
}

/** A deployment whose pod tolerates the nodes with one taint. */
function deploymentOf(name: string, namespace: string, taint: { readonly key: string; readonly value: string }): string {
  const container = { name, image: 'mcr.microsoft.com/oss/kubernetes/pause:3.6', resources: { requests: { cpu: '100m' } } }
  const spec = {
    tolerations: [{ ...taint, operator: 'Equal', effect: 'NoSchedule' }],
    terminationGracePeriodSeconds: 0,
    containers: [container],
  }
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    // The label of the real charts.
    metadata: { name, namespace, labels: { 'app.kubernetes.io/name': name } },
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec } },
  })
}

type List<Item> = { readonly items: readonly Item[] }
type Listed = List<{ readonly metadata: { readonly name: string } }>

/** Checks that nothing of Karpenter's charts is left but the definitions, which hold the resources of the user. */
export async function requireMigrated({ client }: World): Promise<string> {
  const pools = await required<Listed>(client, 'GET', '/apis/karpenter.sh/v1/nodepools')
  const names = pools.items.map(({ metadata }) => metadata.name)
  if (!names.includes('old')) throw new Error(`the converted NodePool is gone: ${names.join(', ')} are left`)
  const query = 'labelSelector=owner%3Dhelm%2Cname%20in%20(karpenter%2Ckarpenter-crd)'
  const releases = await required<Listed>(client, 'GET', `/api/v1/namespaces/kube-system/secrets?${query}`)
  const deployments = await required<Listed>(client, 'GET', '/apis/apps/v1/namespaces/kube-system/deployments')
  const left = [...releases.items, ...deployments.items].map(({ metadata }) => metadata.name)
  if (left.length > 0) throw new Error(`of Karpenter is left: ${left.join(', ')}`)
  return `Karpenter is gone, and its NodePool is not (${names.join(', ')})`
}

/** Waits until the pod of the drained node runs on a machine of Joiner. */
export async function drainedPodRuns({ client }: World): Promise<string> {
  let where = ''
  await until(`the pod of ${TEAM_NODE} runs on a machine of NodePool team-a`, async () => {
    const pods = await required<List<Pod>>(client, 'GET', '/api/v1/namespaces/default/pods?labelSelector=app%3Dteam')
    const nodes = await required<List<Node>>(client, 'GET', '/api/v1/nodes?labelSelector=karpenter.sh%2Fnodepool%3Dteam-a')
    const running = pods.items.find(({ status }) => status?.phase === 'Running')
    where = running?.spec.nodeName ?? ''
    return nodes.items.some(({ metadata }) => metadata.name === where) ? undefined : `it is on ${where || 'no node'}`
  })
  return `the pod of ${TEAM_NODE} runs on ${where}`
}
