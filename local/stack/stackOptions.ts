import type { Machine, MachineSource } from '../machine.ts'
import type { Endpoints } from './endpoints.ts'

export type StackOptions = {
  /** Boot and shutdown times are divided by this. */
  readonly speed: number
  /** Where the stack keeps its files (kubeconfig, certificate authority); removed when it stops. */
  readonly directory: string
  /** Port of the API server; 0 takes a free one. */
  readonly kubernetesPort: number
  /** A control plane that runs already, instead of the embedded one. */
  readonly kubeconfig?: string
  /** Port of the functions host; 0 takes a free one. */
  readonly functionsPort: number
  /** The functions host as one file, which takes less memory than its sources, as they are compiled by Node. Default: its sources. */
  readonly hostFile?: string
  /** Port at which a debugger may attach to the functions host; absent: none may. */
  readonly inspectPort?: number
  /** Cores that the embedded Azure grants in all, and of spot machines; absent: what a large subscription has. */
  readonly quotaCores?: number
  /** Settings of the function app other than those of a stack. */
  readonly appSettings?: { readonly [name: string]: string }
  /** The machines as their kubelets see them: one can be held back, or be given other data to boot from. */
  readonly booting?: (machines: MachineSource) => MachineSource
  /** Whether a machine's pod network ever works. Without, its node never becomes ready. Default: it does. */
  readonly hasNetwork?: (machine: Machine) => boolean
  /** Puts something between the processes and what they talk to; whoever does closes it. Default: nothing. */
  readonly throughProxies?: (direct: Endpoints) => Promise<Endpoints>
  /** How long a killed host's messages stay hidden. */
  readonly messageLeaseSeconds?: number
  readonly onAppLine: (line: string) => void
  readonly onShimLine: (line: string) => void
  /** Told what the stack itself did: a process that died is started again, an eviction was announced. */
  readonly onNotice?: (text: string) => void
  /** Ends a start that is not finished. */
  readonly signal?: AbortSignal
}
