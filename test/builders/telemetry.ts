import type { Telemetry } from '../../shared/ports/telemetry.ts'

/** Telemetry that discards everything. */
export const SILENT: Telemetry = { debug() {}, info() {}, warn() {}, error() {}, measure() {}, event() {}, span() {} }
