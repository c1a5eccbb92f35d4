/** The data that host and worker exchange about an invocation, in the form that the Functions library reads and writes. */
export type TypedData = {
  readonly string?: string
  readonly json?: string
  readonly bytes?: Uint8Array
  readonly int?: number
  readonly double?: number
  readonly http?: RpcHttp
}

export type RpcHttp = {
  readonly method?: string
  readonly url?: string
  readonly nullableHeaders?: Nullables
  readonly nullableParams?: Nullables
  readonly nullableQuery?: Nullables
  readonly statusCode?: string
  readonly headers?: { readonly [name: string]: string }
  readonly cookies?: readonly unknown[]
  readonly body?: TypedData
}

export type TriggerMetadata = { readonly [name: string]: TypedData }

export type Nullables = { readonly [name: string]: { readonly value: string } }

export type InvocationRequest = {
  readonly invocationId: string
  readonly functionId: string
  readonly inputData: readonly { readonly name: string; readonly data: TypedData }[]
  readonly triggerMetadata: TriggerMetadata
  readonly retryContext?: { readonly retryCount: number; readonly maxRetryCount: number; readonly exception?: { readonly message: string } }
}

export type InvocationResponse = {
  readonly outputData?: readonly { readonly name: string; readonly data: TypedData }[]
  readonly returnValue?: TypedData | null
}

export function nullables(values: Iterable<readonly [string, string]>): Nullables {
  return Object.fromEntries([...values].map(([name, value]) => [name, { value }]))
}
