import { AppsV1Api, CoreV1Api, KubeConfig, makeInformer, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node'
import { describe, expect, it } from 'vitest'
import { deployment, pod } from './testing/samples.ts'
import { withServer } from './testing/withServer.ts'

describe('the JavaScript client', () => {
  it('creates, lists, patches, evicts and hears of it through an informer', async () => {
    await withServer({}, async ({ server }) => {
      const config = new KubeConfig()
      config.loadFromString(server.kubeconfig())
      const core = config.makeApiClient(CoreV1Api)
      const heard: string[] = []
      const informer = makeInformer(config, '/api/v1/pods', () => core.listPodForAllNamespaces())
      for (const verb of ['add', 'delete'] as const) informer.on(verb, (object) => heard.push(`${verb} ${object.metadata?.name ?? ''}`))
      await informer.start()
      const namespace = 'default'
      await core.createNamespacedPod({ namespace, body: pod('a') })
      const patch = { name: 'a', namespace, body: { metadata: { labels: { app: 'x' } } } }
      const patched = await core.patchNamespacedPod(patch, setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch))
      expect(patched.metadata?.labels).toEqual({ app: 'x' })
      await core.createNamespacedPodEviction({ name: 'a', namespace, body: { metadata: { name: 'a', namespace } } })
      await expect.poll(() => heard).toEqual(['add a', 'delete a'])
      await informer.stop()
      const apps = config.makeApiClient(AppsV1Api)
      const made = await apps.createNamespacedDeployment({ namespace, body: deployment('web', 2) })
      expect(made.spec?.revisionHistoryLimit).toBe(10)
      await expect(core.readNamespacedPod({ name: 'a', namespace })).rejects.toMatchObject({ code: 404 })
    })
  })
})
