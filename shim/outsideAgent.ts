import type { Agent } from 'node:http'
import { nodeHttp, nodeHttps } from '../shared/kubeclient/http.ts'

/** The way out of the cluster, under the names that all programs know. Empty where there is no proxy. */
export type OutsideProxy = { readonly HTTPS_PROXY?: string; readonly NO_PROXY?: string }

/** Creates the agent for a server outside of the cluster. It goes through the proxy unless `NO_PROXY` excepts the server. */
export function createOutsideAgent({ protocol }: URL, proxy: OutsideProxy): Agent {
  // Plain http goes to this machine only.
  return protocol === 'https:' ? new nodeHttps.Agent({ keepAlive: true, proxyEnv: { ...proxy } }) : new nodeHttp.Agent({ keepAlive: true })
}
