import { readFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'
import * as z from 'zod'
import { KUBE_YAML } from '../../shared/wire/kube/kubeYaml.ts'
import type { Client, Keys } from './keys.ts'

/** The extension in which a kubeconfig names the API server's authentication settings, so that a stack can add its token issuer. */
const AUTHENTICATION_EXTENSION = 'joiner.dev/authentication'

export type ControlPlaneAddress = { readonly url: string; readonly authenticationFile: string }

/** Returns the kubeconfig of one client, with its certificate embedded. */
export function printKubeconfig({ url, authenticationFile }: ControlPlaneAddress, keys: Keys, client: Client): string {
  const data = (file: string): string => readFileSync(keys.file(file)).toString('base64')
  const name = 'joiner-control-plane'
  const extensions = [{ name: AUTHENTICATION_EXTENSION, extension: { file: authenticationFile } }]
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': data('ca.crt'), extensions } }],
    users: [{ name: client, user: { 'client-certificate-data': data(`${client}.crt`), 'client-key-data': data(`${client}.key`) } }],
    contexts: [{ name, context: { cluster: name, user: client, namespace: 'default' } }],
    'current-context': name,
  }
  return stringify(config, KUBE_YAML)
}

const Config = z.looseObject({
  clusters: z.array(
    z.looseObject({
      cluster: z.looseObject({ extensions: z.array(z.looseObject({ name: z.string(), extension: z.unknown() })).optional() }),
    }),
  ),
})
const Extension = z.object({ file: z.string() })

/** Returns the file that holds the authentication settings of the API server of this kubeconfig. Undefined if it names none. */
export function authenticationFileOf(kubeconfigFile: string): string | undefined {
  const config = Config.safeParse(parse(readFileSync(kubeconfigFile, 'utf8'), KUBE_YAML))
  const extensions = config.data?.clusters.flatMap(({ cluster }) => cluster.extensions ?? [])
  return Extension.safeParse(extensions?.find(({ name }) => name === AUTHENTICATION_EXTENSION)?.extension).data?.file
}
