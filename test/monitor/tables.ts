/** An envelope of the wire, with the fields that are read. */
export type Envelope = {
  readonly name: string
  readonly time: string
  readonly iKey: string
  readonly tags: { readonly [tag: string]: string }
  readonly data: { readonly baseType: string; readonly baseData: BaseData }
}

type BaseData = {
  readonly ver: number
  readonly properties?: { readonly [name: string]: string }
  readonly measurements?: { readonly [name: string]: number }
  readonly name?: string
  readonly message?: string
  readonly severityLevel?: string
  readonly id?: string
  readonly duration?: string
  readonly success?: boolean
  readonly responseCode?: string
  readonly resultCode?: string
  readonly type?: string
  readonly target?: string
  readonly exceptions?: readonly { readonly typeName?: string; readonly message?: string }[]
  readonly metrics?: readonly {
    readonly name: string
    readonly value: number
    readonly count?: number
    readonly min?: number
    readonly max?: number
  }[]
}

export type Table = 'AppEvents' | 'AppMetrics' | 'AppTraces' | 'AppRequests' | 'AppDependencies' | 'AppExceptions'

/** The columns of a row in a table of the workspace. */
export type TableRow = {
  readonly TimeGenerated: string
  readonly Properties: { readonly [name: string]: string }
  readonly Measurements: { readonly [name: string]: number }
  readonly OperationId: string | undefined
  readonly ParentId: string | undefined
  readonly AppRoleName: string | undefined
  readonly [column: string]: unknown
}

/** The table and row that an envelope becomes. */
export function rowOf({ time, tags, data: { baseType, baseData } }: Envelope): { readonly table: Table; readonly row: TableRow } {
  const common = {
    TimeGenerated: time,
    Properties: baseData.properties ?? {},
    Measurements: baseData.measurements ?? {},
    OperationId: tags['ai.operation.id'],
    ParentId: tags['ai.operation.parentId'],
    AppRoleName: tags['ai.cloud.role'],
    AppRoleInstance: tags['ai.cloud.roleInstance'],
    ItemCount: 1,
  }
  const { name, message, severityLevel, id, duration, success } = baseData
  switch (baseType) {
    case 'EventData':
      return { table: 'AppEvents', row: { ...common, Name: name } }
    case 'MessageData':
      return { table: 'AppTraces', row: { ...common, Message: message, SeverityLevel: severityLevel } }
    case 'MetricData': {
      const [metric] = baseData.metrics ?? []
      const { value = 0, count = 1, min = value, max = value } = metric ?? {}
      return { table: 'AppMetrics', row: { ...common, Name: metric?.name, Sum: value, Min: min, Max: max, ItemCount: count } }
    }
    case 'RequestData':
      return {
        table: 'AppRequests',
        row: { ...common, Id: id, Name: name, DurationMs: duration, Success: success, ResultCode: baseData.responseCode },
      }
    case 'RemoteDependencyData': {
      const { resultCode: ResultCode, type: DependencyType, target: Target } = baseData
      return {
        table: 'AppDependencies',
        row: { ...common, Id: id, Name: name, DurationMs: duration, Success: success, ResultCode, DependencyType, Target },
      }
    }
    case 'ExceptionData': {
      const [exception] = baseData.exceptions ?? []
      return { table: 'AppExceptions', row: { ...common, ExceptionType: exception?.typeName, OuterMessage: exception?.message } }
    }
    default:
      throw new Error(`no table takes ${baseType}`)
  }
}
