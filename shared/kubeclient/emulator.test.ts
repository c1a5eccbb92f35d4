import { startKubernetes } from '../../local/kubernetes/startKubernetes.ts'
import { describeKubeClient, fileOf } from '../../test/conformance/kubeClient.ts'

describeKubeClient('the embedded API server', async () => {
  const server = await startKubernetes({ authorization: 'rbac' })
  return { kubeconfig: fileOf(server.kubeconfig()), expirePages: () => server.compact(), close: () => server.close() }
})
