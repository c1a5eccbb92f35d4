// The issuer of service account tokens. AKS publishes its documents at a public address of their own. Here they are read as the administrator.
import { createHash, createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { KubeClient } from '../../../local/cluster/client/kubeClient.ts'
import { freePort } from '../../../local/stack/freePort.ts'
import type { OwnedParts } from '../../../local/stack/ownedParts.ts'
import { required } from './systemNodes.ts'

/** An issuer. `name` is its https address, `url` is where its documents are. */
export type Issuer = { readonly name: string; readonly url: string }

const CONFIGURATION = '/.well-known/openid-configuration'
const KEYS = '/openid/v1/jwks'

/** Serves the documents of the issuer. `publicKeyFile` holds the PEM of the API server's signing key. */
export async function startIssuer(client: KubeClient, publicKeyFile: string, parts: OwnedParts): Promise<Issuer> {
  const said = await required<{ readonly issuer: string }>(client, 'GET', CONFIGURATION)
  const keys = { keys: [publicKeyIn(publicKeyFile)] }
  const documents: Readonly<Record<string, object>> = { [CONFIGURATION]: { ...said, jwks_uri: `${said.issuer}${KEYS}` }, [KEYS]: keys }
  const server = createServer((request, response) => {
    const found = documents[request.url ?? '']
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(found ?? {}))
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await parts.own(() => {
    server.closeAllConnections()
    server.close()
  })
  return { name: said.issuer, url: `http://127.0.0.1:${port}` }
}

/** Returns the key as the API server names it in its tokens: by the digest of the key. */
function publicKeyIn(file: string): object {
  const key = createPublicKey(readFileSync(file, 'utf8'))
  const kid = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
  return { ...key.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' }
}
