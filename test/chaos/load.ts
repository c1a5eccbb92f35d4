import type { Stored } from '../../local/cluster/client/objects.ts'
import { collectionPath, DEPLOYMENTS, JOBS, NODES, objectPath, PODS, type Resource } from '../../local/cluster/client/resource.ts'
import { NODE_CLAIMS } from '../../local/demo/claimObject.ts'
import type { Stack } from '../../local/stack/startStack.ts'
import { container, DEPLOYMENT_PATH, deployment, JOB_PATH } from '../e2e/clusterObjects.ts'
import { until } from '../e2e/until.ts'
import type { LoadStep } from './plan.ts'

const MERGE = 'application/merge-patch+json'
const ANSWER_MS = 10_000
/** The node selector and the tolerations of the pods of the limited pool. */
export const LIMITED = {
  nodeSelector: { team: 'limited' },
  tolerations: [{ key: 'team', operator: 'Equal', value: 'limited', effect: 'NoSchedule' }],
}
const APPS = { app: {}, limited: LIMITED }

/** The user of the cluster. The user repeats a call if the API server is away, as a person with kubectl would. */
export interface Load {
  step(step: LoadStep): Promise<void>
  /** Removes the whole load. */
  end(): Promise<void>
  /** Names the jobs that have not completed. Undefined if all have. */
  unfinished(): Promise<string | undefined>
}

export function createLoad({ client }: Stack): Load {
  let jobs = 0
  let rounds = 0

  async function send(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    answers: readonly number[] = [],
  ): Promise<unknown> {
    let got: unknown
    await until(async () => {
      const signal = AbortSignal.timeout(ANSWER_MS)
      const answer = await client.send({ method, path, body, signal, ...(method === 'PATCH' ? { contentType: MERGE } : {}) })
      got = answer.ok ? answer.value : undefined
      return answer.ok || answers.includes(answer.error.code) ? undefined : `${method} ${path}: ${answer.error.message}`
    })
    return got
  }

  async function list<Item extends Stored>(resource: Resource<Item>, namespace?: string): Promise<readonly Item[]> {
    const { items } = (await send('GET', collectionPath(resource, namespace))) as { readonly items: readonly Item[] }
    return [...items].sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
  }

  async function scale(name: 'app' | 'limited', replicas: number): Promise<void> {
    if ((await send('POST', DEPLOYMENT_PATH, deployment(name, replicas, APPS[name]), [409])) === undefined)
      await send('PATCH', `${DEPLOYMENT_PATH}/${name}`, { spec: { replicas } })
  }

  async function removeOne(resource: Resource<Stored>, index: number, namespace?: string): Promise<void> {
    const found = (await list(resource, namespace))[index]
    if (found !== undefined) await send('DELETE', objectPath(resource, { namespace, name: found.metadata.name }), undefined, [404])
  }

  return {
    async step(step) {
      switch (step.kind) {
        case 'scale':
          return scale(step.name, step.replicas)
        case 'roll': {
          const template = { metadata: { annotations: { round: String(++rounds) } } }
          await send('PATCH', `${DEPLOYMENT_PATH}/${step.name}`, { spec: { template } }, [404])
          return
        }
        case 'job':
          await send('POST', JOB_PATH, job(`job-${++jobs}`, step.pods), [409])
          return
        case 'deleteClaim':
          return removeOne(NODE_CLAIMS, step.index)
        case 'deleteNode':
          return removeOne(NODES, step.index)
        case 'deletePod':
          return removeOne(PODS, step.index, 'default')
      }
    },
    async unfinished() {
      const open = (await list(JOBS, 'default')).filter(({ spec, status }) => status?.succeeded !== spec.completions)
      return open.length === 0 ? undefined : `jobs ${open.map(({ metadata }) => metadata.name)} are not at their end`
    },
    async end() {
      for (const { metadata } of await list(DEPLOYMENTS, 'default')) await scale(metadata.name as 'app' | 'limited', 0)
      for (const { metadata } of await list(JOBS, 'default'))
        await send('DELETE', `${JOB_PATH}/${metadata.name}?propagationPolicy=Background`, undefined, [404])
    },
  }
}

/** A Job whose pods start again if their node is removed. */
function job(name: string, pods: number): object {
  const pod = { restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers: [container('1500m')] }
  const template = { metadata: { annotations: { 'local.joiner.dev/run-for': '20s' } }, spec: pod }
  const spec = { completions: pods, parallelism: pods, backoffLimit: 100, template }
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'default' }, spec }
}
