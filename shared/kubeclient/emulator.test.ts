import { startKubernetes } from '../../local/kubernetes/startKubernetes.ts'
import { describeKubeClient } from '../../test/conformance/kubeClient.ts'
import { fileOf } from '../../test/conformance/kubeClientHarness.ts'

describeKubeClient('the embedded API server', async () => {
  const server = await startKubernetes({ authorization: 'rbac' })
  const expirePages = () => server.compact()
  return { kubeconfig: fileOf(server.kubeconfig()), forgetVersions: expirePages, expirePages, close: () => server.close() }
})
