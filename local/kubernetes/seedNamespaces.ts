import { ANONYMOUS } from './access/user.ts'
import type { KubeObject } from './object/kubeObject.ts'
import { namespaceStrategy } from './resources/coreStrategies.ts'
import { type Api, timestamp, writeContext } from './verbs/api.ts'

const USUAL = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** Makes the namespaces that every cluster has, and additional ones. */
export function seedNamespaces(api: Api, more: readonly string[]): void {
  for (const name of [...USUAL, ...more]) {
    if (api.store.get('namespaces', '', name)) continue
    const bare: KubeObject = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, uid: api.newUid(), creationTimestamp: timestamp(api.now()) },
    }
    const defaulted = namespaceStrategy.defaults?.(bare) ?? bare
    api.store.add('namespaces', namespaceStrategy.prepareForCreate?.(defaulted, writeContext(api, ANONYMOUS)) ?? defaulted)
  }
}
