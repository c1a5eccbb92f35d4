/**
 * Stands in for the Deployment of Karpenter. The suites change its environment, and wait for its pods. A pod of the Deployment runs once the function
 * app has been started again with the settings that follow from the environment of the pod.
 */
import { startInformer } from '../../local/cluster/client/informer.ts'
import type { KubeClient, Refusal } from '../../local/cluster/client/kubeClient.ts'
import { objectKeyOf, type Pod } from '../../local/cluster/client/objects.ts'
import { PODS } from '../../local/cluster/client/resource.ts'
import { collectionPath, type Manifest, objectPath } from '../../local/manifests.ts'
import type { OwnedParts } from '../../local/stack/ownedParts.ts'
import { NEVER_SCHEDULED, showRunning } from '../../local/stack/runningPod.ts'
import type { Result } from '../../shared/base/result.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { type AppSettings, appSettingsFrom } from './translate.ts'

export type StandInOptions = {
  /** A client with the permissions of an administrator. */
  readonly client: KubeClient
  /** Starts the app again. Resolves when the app runs with these settings. */
  readonly restart: (settings: AppSettings) => Promise<void>
}

export type StandIn = {
  /** Rejects when the stand-in fails, since specs would only wait for their rollout. */
  readonly failed: Promise<never>
}

const NAMESPACE = 'kube-system'
const MARK = 'app.kubernetes.io/instance'
const LABELS = { [MARK]: 'karpenter', 'app.kubernetes.io/name': 'karpenter' }
const MERGE = 'application/merge-patch+json'

/** The environment of the Deployment at first: as in Karpenter's own runs of its suites, nodes are repaired. */
const ENVIRONMENT = [{ name: 'FEATURE_GATES', value: 'NodeRepair=true' }]

/** Settings of the app until the Deployment is changed. */
export const FIRST_SETTINGS = appSettingsFrom(ENVIRONMENT)

/** The old pod goes before the new one comes, since there is one function app. */
const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'karpenter', namespace: NAMESPACE, labels: LABELS },
  spec: {
    replicas: 1,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS },
      spec: {
        schedulingGates: NEVER_SCHEDULED,
        automountServiceAccountToken: false,
        containers: [{ name: 'controller', image: 'joiner', env: ENVIRONMENT }],
      },
    },
  },
}

const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'karpenter-leader-election', namespace: NAMESPACE },
}

/** The suites look for this argument, and take it for a scheduler with the profiles of `SCHEDULER_CONFIG_FILE`. */
const SCHEDULER = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'kube-scheduler', namespace: NAMESPACE, labels: { component: 'kube-scheduler', tier: 'control-plane' } },
  spec: {
    schedulingGates: NEVER_SCHEDULED,
    automountServiceAccountToken: false,
    containers: [
      {
        name: 'kube-scheduler',
        image: 'kube-scheduler',
        command: ['kube-scheduler', '--config=/etc/kubernetes/karpenter-scheduler-config/kube-scheduler-config.yaml'],
      },
    ],
  },
}

export async function startStandIn(owner: OwnedParts, { client, restart }: StandInOptions): Promise<StandIn> {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => undefined)
  const signal = owner.ending
  for (const manifest of [SCHEDULER, LEASE, DEPLOYMENT]) {
    const body: Manifest = manifest
    must(manifest, await client.send({ method: 'POST', path: collectionPath(manifest), body, signal }))
  }
  must(SCHEDULER, await showRunning(client, SCHEDULER, signal))

  async function run(pod: Pod): Promise<void> {
    const { name } = pod.metadata
    const settings = appSettingsFrom(pod.spec.containers[0]?.env)
    await restart(settings)
    const spec = { holderIdentity: `${name}_stand-in` }
    must(LEASE, await client.send({ method: 'PATCH', path: objectPath(LEASE), body: { spec }, contentType: MERGE, signal }))
    const running = { ...DEPLOYMENT.spec.template, apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: NAMESPACE } }
    const shown = await showRunning(client, running, signal)
    // A later change of the Deployment may have removed the pod meanwhile.
    if (!shown.ok && shown.error.code !== 404) must(running, shown)
  }

  const pods = startInformer(PODS, { client, query: { labelSelector: `${MARK}=karpenter` } })
  await owner.own(() => pods.close())
  let last = Promise.resolve()
  pods.onChange((now, before) => {
    if (now === undefined || before !== undefined) return
    last = last.then(async () => {
      if (pods.get(objectKeyOf(now)) !== undefined) await run(now)
    })
    last.catch((cause: unknown) => {
      if (!signal.aborted) reject(cause)
    })
  })
  return { failed }
}

function must({ kind, metadata }: Manifest, answer: Result<unknown, Refusal>): void {
  if (answer.ok) return
  throw new Fault('stand in for the Deployment karpenter', problem('SETTING.INVALID', `${kind} ${metadata.name}: ${answer.error.message}`))
}
