import { createRequire } from 'node:module'

/** The part of Microsoft's Kusto language service that is used here. */
type LanguageService = {
  readonly Language: {
    readonly KustoCode: { ParseAndAnalyze(text: string, globals: Globals): Code }
    readonly GlobalState: { readonly Default: Globals }
    readonly Symbols: {
      readonly TableSymbol: { From(schema: string): Table }
      readonly DatabaseSymbol: { readonly ctor: new (name: string, members: readonly Table[]) => Database }
    }
  }
}
type Table = { WithName(name: string): Table }
type Database = { readonly Name: string }
type Globals = { WithDatabase(database: Database): Globals }
type Listed<Item> = { readonly Count: number; getItem(index: number): Item }
type Code = {
  GetDiagnostics(): Listed<{ readonly Message: string; readonly Start: number }>
  readonly ResultType: { readonly Columns?: Listed<{ readonly Name: string; readonly Type: { readonly Name: string } }> } | null
}

export type Bound = {
  readonly problems: readonly string[]
  /** The columns of the query's result, and their types. */
  readonly columns: { readonly [name: string]: string }
}

const COMMON =
  'TimeGenerated: datetime, Properties: dynamic, OperationId: string, ParentId: string, AppRoleName: string, AppRoleInstance: string, ItemCount: int'

/** Tables of a component's workspace, with the columns that queries here read. */
const TABLES: { readonly [table: string]: string } = {
  AppEvents: `(${COMMON}, Name: string, Measurements: dynamic)`,
  AppMetrics: `(${COMMON}, Name: string, Sum: real, Min: real, Max: real)`,
  AppTraces: `(${COMMON}, Message: string, SeverityLevel: int)`,
  AppDependencies: `(${COMMON}, Id: string, Name: string, DurationMs: real, Success: bool, ResultCode: string, DependencyType: string, Target: string)`,
  AppRequests: `(${COMMON}, Id: string, Name: string, DurationMs: real, Success: bool, ResultCode: string)`,
}

/**
 * Creates a function that binds queries as the portal does before it runs them. Unknown tables and columns, wrong types and reserved words are
 * problems.
 */
export function createKusto(): (query: string) => Bound {
  const require = createRequire(import.meta.url)
  // Both modules write into the global object.
  require('@kusto/language-service-next/bridge.min.js')
  require('@kusto/language-service-next/Kusto.Language.Bridge.min.js')
  const { Language }: LanguageService = Reflect.get(globalThis, 'Kusto')
  const { TableSymbol, DatabaseSymbol } = Language.Symbols
  const tables = Object.entries(TABLES).map(([name, schema]) => TableSymbol.From(schema).WithName(name))
  const globals = Language.GlobalState.Default.WithDatabase(new DatabaseSymbol.ctor('workspace', tables))
  return (query) => {
    const code = Language.KustoCode.ParseAndAnalyze(query, globals)
    const columns = code.ResultType?.Columns
    return {
      problems: all(code.GetDiagnostics()).map(({ Message, Start }) => `${Message} (at ${Start})`),
      columns: columns === undefined ? {} : Object.fromEntries(all(columns).map(({ Name, Type }) => [Name, Type.Name])),
    }
  }
}

function all<Item>(list: Listed<Item>): readonly Item[] {
  return Array.from({ length: list.Count }, (_, index) => list.getItem(index))
}
