import { testArea } from './asked.ts'

testArea('records')
