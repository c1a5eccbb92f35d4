import type { Json } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'

export interface TableColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format: string
  readonly description: string
  /** 0 shows always, 1 with `-o wide`. */
  readonly priority: number
}

/** How a resource looks as a table: `kubectl get` prints what the server answers here. */
export interface TableLayout {
  readonly columns: readonly TableColumn[]
  readonly row: (object: KubeObject, nowMs: number) => readonly (Json | undefined)[]
}

export function column(name: string, options: Partial<Omit<TableColumn, 'name'>> = {}): TableColumn {
  return { name, type: 'string', format: name === 'Name' ? 'name' : '', description: '', priority: 0, ...options }
}

/** Columns shown only by `-o wide`. */
export function wide(name: string, options: Partial<Omit<TableColumn, 'name'>> = {}): TableColumn {
  return column(name, { priority: 1, ...options })
}
