import type { VmSize } from '../azure/sizes/vmSize.ts'
import type { Programs } from '../kubelet/podWorkers.ts'
import type { Machine, MachineSource } from '../machine.ts'
import type { Endpoints } from './endpoints.ts'

export type StackOptions = {
  /** Divides the boot and shutdown times of machines. */
  readonly speed: number
  /** Divides the start and stop times of pods. Default: `speed`. */
  readonly podSpeed?: number
  /** The folder of the stack's files (kubeconfig, certificate authority). It is removed when the stack stops. */
  readonly directory: string
  /** Port of the API server. 0 takes a free port. */
  readonly kubernetesPort: number
  /** A control plane that runs already. Undefined: the embedded one. */
  readonly kubeconfig?: string
  /** Helm. The embedded API server then checks the rights of the chart, as a real one does. Default: app and shim may do everything there. */
  readonly rightsByHelm?: string
  /** Port of the functions host. 0 takes a free port. */
  readonly functionsPort: number
  /** The process that runs the app, as one file. It takes less memory than the sources, which Node compiles. Default: the sources. */
  readonly hostFile?: string
  /**
   * Options of local/host/processes/main.ts --harsh: the functions run in several processes, which are stopped and killed while they have nothing to do.
   * Undefined: one process, which always runs.
   */
  readonly harsh?: readonly string[]
  /** Port at which a debugger may attach to the process of the app. Undefined: no debugger can attach. */
  readonly inspectPort?: number
  /** Cores that the embedded Azure grants, for all machines and for spot machines. Undefined: the quota of a large subscription. */
  readonly quotaCores?: number
  /** Cores that the embedded Azure grants for each family, and for spot machines. Undefined: those of a large subscription. */
  readonly familyCores?: number
  /** Settings of the function app that differ from those of the stack. */
  readonly appSettings?: { readonly [name: string]: string }
  /** A file like local.settings.json, which each start of the function app reads. Other settings take precedence. Not for the harsh mode. */
  readonly settingsFile?: string
  /** Sizes of the embedded Azure, each in place of the built-in size of its name. Default: none. */
  readonly sizes?: readonly VmSize[]
  /** Wraps the source of machines for kubelets and controllers. A bench can boot machines again. */
  readonly machinesFrom?: (machines: MachineSource) => MachineSource
  /** Wraps the source of machines for kubelets. A test can hold a machine back, or change its boot data. */
  readonly booting?: (machines: MachineSource) => MachineSource
  /** Whether the pod network of a machine ever works. Without a network its node never becomes ready. By default all networks work. */
  readonly hasNetwork?: (machine: Machine) => boolean
  /** What runs the programs of pods on a machine. Default: nothing, and pods run all the same. */
  readonly programsOn?: (machine: Machine) => Programs
  /** Puts proxies between the processes and their endpoints. The caller closes the proxies. Default: none. */
  readonly throughProxies?: (direct: Endpoints) => Promise<Endpoints>
  /** How long the messages of a killed host stay hidden. */
  readonly messageLeaseSeconds?: number
  readonly onAppLine: (line: string) => void
  readonly onShimLine: (line: string) => void
  /** Called for what the stack itself did: a process that died is started again, an eviction was announced. */
  readonly onNotice?: (text: string) => void
  /** Ends a start that is not finished. */
  readonly signal?: AbortSignal
}
