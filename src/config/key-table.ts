/**
 * The one table of configuration keys, one per line: key | type | default | who may set it | owner | what it does.
 *
 * Type: a name of `TYPES` in keys.ts, `one of a, b`, or `list of TYPE`. Default: JSON, `-` for absent, or words in
 * parentheses where it depends on something. Who: `U` user and managed scope only; `P` a project file too, once its
 * folder is trusted; `T` a project file too, trusted or not, but only a stricter value, followed by what is stricter:
 * `lower`, `lower-0-none` (0 = no limit), `higher`, `true`, `false`, `more` and `fewer` (lists), `first` (the values of
 * the type stand strictest first). A trailing `secret` hides the value wherever settings are shown.
 */
export const KEY_TABLE = `
agents.<name>.model | text | - | P | cli.md 4 | Key of models this kind of agent uses
agents.<name>.max_steps | integer >= 1 | (200; sub-agents: the type's, else 50) | P | agent.md 1.3, 12 | Step limit of a task
agents.<name>.tools | list of text | (the profile's core) | P | tools.md 1.3 | Tools offered: names, profile:NAME, group:NAME, -NAME
agents.<name>.tool_language | one of en, zh | "en" | P | tools.md 1.1 | Language of the tool descriptions
agents.<name>.session_prefixes | one of on, auto, off | (data on, coding auto) | P | tools.md 3 | Whether output/, scratchpad/ and input/ lead to the session's folders
agents.<name>.prompt_append | text | - | P | agent.md 3 | Text added to the system prompt
agents.<name>.prompt_file | path | - | P | agent.md 3 | File that replaces the system prompt
agents.<name>.patch.exclude | list of text | (list in agent.md 10) | P | agent.md 10 | Untracked names and globs left out of the patch
agents.<name>.patch.test_paths | list of text | (rules of agent.md 10) | P | agent.md 10 | Which paths count as tests for must-patch
agents.<name>.enable_lakeview | boolean | (true when lakeview.model is set) | P | agent.md 7 | Label each step with a model
lakeview.model | text | - | P | agent.md 7 | Key of models that labels steps; without it labels come from rules
subagents.enabled | boolean | true | T false | agent.md 12 | Whether the Agent tool is offered

models.<key>.model | text | (required) | P | llm.md 8 | Model id as the provider knows it
models.<key>.model_provider | text | (required) | P | llm.md 8 | Key of model_providers, or a built-in provider
models.<key>.temperature | number | - | P | llm.md 8 | Sampling temperature, sent as it is
models.<key>.top_p | number | - | P | llm.md 8 | Nucleus sampling, sent as it is
models.<key>.top_k | number | - | P | llm.md 8 | Top-k sampling, sent as it is
models.<key>.seed | number | - | P | llm.md 8 | Sampling seed, sent as it is
models.<key>.presence_penalty | number | - | P | llm.md 8 | Sent as it is
models.<key>.frequency_penalty | number | - | P | llm.md 8 | Sent as it is
models.<key>.max_tokens | integer >= 1 | - | P | llm.md 2.1 | Output limit of one reply, in tokens
models.<key>.max_completion_tokens | integer >= 1 | - | P | llm.md 2.1 | Output limit of one reply; wins over max_tokens
models.<key>.parallel_tool_calls | boolean | (true, not sent) | P | agent.md 2.5 | False: one call of a reply at a time
models.<key>.max_retries | integer >= 0 | 5 | P | llm.md 6.1 | Retries of one model call
models.<key>.supports_tool_calling | boolean | true | P | llm.md 8 | False: the model cannot drive an agent
models.<key>.candidate_count | integer >= 1 | 1 | P | llm.md 8 | Values above 1 are read as 1
models.<key>.stop_sequences | list of text | - | P | llm.md 8 | Texts that end a reply
models.<key>.api | one of chat, responses | (by provider) | P | llm.md 8 | Wire protocol of an OpenAI-style endpoint
models.<key>.profile | text | (by provider) | P | llm.md 2.9 | Name of the endpoint profile
models.<key>.quirks | object | (by provider) | P | llm.md 2.9 | Overrides of single profile fields
models.<key>.context_window | integer >= 1 | (model table) | P | llm.md 8, agent.md 8.2 | Tokens the model can take
models.<key>.output_limit | integer >= 1 | (model table) | P | llm.md 8, agent.md 8.2 | Tokens the model can write in one reply
models.<key>.reasoning.effort | one of none, minimal, low, medium, high, max | (vendor default) | P | llm.md 2.1 | How much the model thinks
models.<key>.reasoning.budget_tokens | integer >= 0 | (vendor default) | P | llm.md 2.1 | Thinking budget in tokens
models.<key>.reasoning.summary | one of auto, concise, detailed | (vendor default) | P | llm.md 2.1 | Reasoning summary asked for
models.<key>.extra_body | object | - | P | llm.md 8 | Members added to the request body
models.<key>.extra_headers | text map | - | P | llm.md 8 | Headers added to the request | secret
models.<key>.cache | one of none, short, long | "short" | P | llm.md 7 | Prompt cache asked for
models.<key>.images | boolean | (model table) | P | llm.md 8 | False: images are never sent
models.<key>.text_tool_calls | list of text | (profile) | P | llm.md 4 | Formats of tool calls written as text that are understood
models.<key>.timeouts.connect | seconds | (10; local 10) | P | llm.md 6.4 | Connecting; 0 = no limit
models.<key>.timeouts.first_byte | seconds | (300; local 1,800) | P | llm.md 6.4 | Until the first byte of the reply; 0 = no limit
models.<key>.timeouts.idle | seconds | (180; local 600) | P | llm.md 6.4 | Without any byte; 0 = no limit
models.<key>.timeouts.progress | seconds | (600; local 1,800) | P | llm.md 6.4 | Without content though pings arrive; 0 = no limit
models.<key>.timeouts.total | seconds | (3,600; local 3,600) | P | llm.md 6.4 | The whole call; 0 = no limit
models.<key>.retry.max_wait | seconds | 120 | P | llm.md 6.2 | Longest wait a server may ask for
models.<key>.retry.max_total | seconds | 900 | P | llm.md 6.1 | All waits of one call together
models.<key>.prices | prices | (price table) | U | agent.md 9 | USD per million tokens

model_providers.<key>.provider | text | (the key) | P | cli.md 4 | Which provider this entry is
model_providers.<key>.api_key | text | (PROVIDER_API_KEY) | P | safety.md 2 | Key; one of a project file is used for its own base URL only | secret
model_providers.<key>.api_key_env | text | - | U | llm.md 8 | Environment variable that holds the key
model_providers.<key>.api_key_file | path | - | U | llm.md 8 | File that holds the key
model_providers.<key>.base_url | url | (built-in; PROVIDER_BASE_URL) | P | safety.md 2, 8 | Endpoint; one of a project file never gets a key of another scope
model_providers.<key>.api_version | text | - | P | llm.md 8 | API version, for azure
model_providers.<key>.api | one of chat, responses | - | P | llm.md 8 | Wire protocol of an OpenAI-style endpoint
model_providers.<key>.profile | text | - | P | llm.md 8 | Name of the endpoint profile
model_providers.<key>.headers | text map | - | P | llm.md 8 | Headers of every request | secret
model_providers.<key>.proxy | url | (environment) | U | llm.md 6.6 | Proxy for this endpoint
model_providers.<key>.ca_file | path | (system) | U | llm.md 6.6 | Certificates this endpoint is checked against
model_providers.<key>.speed | one of recorded | (no waits) | P | agent.md 6 | Provider replay: keep the recorded waits
model_providers.<key>.match | one of strict, lenient | "lenient" | P | agent.md 6 | Provider replay: how a request finds its exchange

permissions.mode | one of read-only, ask, accept-edits, auto, bypass | (ask on a terminal; auto unattended with a sandbox) | T first | safety.md 2 | What needs an approval
permissions.deny | list of text | - | T more | safety.md 2 | Rules of calls that are refused
permissions.ask | list of text | - | T more | safety.md 2 | Rules of calls that need an approval
permissions.allow | list of text | - | U | safety.md 2 | Rules of calls that need none
permissions.extra_roots | roots | - | U | safety.md 4 | More folders that tools may see
permissions.allow_bypass_without_sandbox | boolean | false | U | safety.md 2 | Permits mode bypass without a sandbox

sandbox.kind | one of bwrap, docker, auto, none | "auto" | T first | safety.md 5 | What confines commands
sandbox.network | one of off, on | "off" | T first | safety.md 5 | Network for commands in the sandbox
sandbox.read | list of path | - | U | safety.md 5 | More folders that commands may read
sandbox.env | list of text | - | U | safety.md 6 | More environment variables that commands get
sandbox.uid | uid | - | U | safety.md 5 | User commands run as; a number, or one for each user
sandbox.docker.image | text | - | U | safety.md 5 | Image to run commands in
sandbox.docker.container_id | text | - | U | safety.md 5 | Running container to use
sandbox.docker.dockerfile | path | - | U | safety.md 5 | Dockerfile to build the image from
sandbox.docker.image_file | path | - | U | safety.md 5 | Image archive to load
sandbox.docker.keep | boolean | false | U | cli.md 2 | Keep the container after the session
sandbox.docker.user | text | (safety.md 5) | U | safety.md 5 | User inside the container
sandbox.docker.workspace_path | path | - | U | safety.md 5 | Workspace inside an attached container
sandbox.docker.cap_add | list of text | - | U | safety.md 5 | Capabilities of the container
network.allow_domains | list of text | - | T fewer | safety.md 8 | Only these hosts may be fetched
network.documentation_hosts | list of text | ["docs.python.org","developer.mozilla.org","nodejs.org","www.typescriptlang.org","doc.rust-lang.org","pkg.go.dev","docs.oracle.com","learn.microsoft.com","www.rfc-editor.org"] | T fewer | safety.md 11 | Exact hosts that may be fetched without an approval

limits.max_cost | number >= 0 | - | T lower | agent.md 9 | USD a run may cost
limits.max_tokens | integer >= 1 | - | T lower | agent.md 9 | Tokens a run may use
limits.timeout_seconds | number >= 0 | - | T lower | agent.md 9 | Seconds a run may take
limits.tool_output_chars | integer >= 1 | 16000 | T lower | tools.md 2.4 | Characters of a result the model gets
limits.write_file_bytes | integer >= 1 | 16384 | T lower | tools.md 5 | Bytes one write_file call may carry
limits.question_seconds | seconds | 0 | T lower-0-none | tools.md 9.1 | How long a question waits; 0 = no limit
limits.agent_parallel | integer >= 1 | 4 | T lower | agent.md 12 | Sub-agents at once
limits.agent_depth | depth | 1 | T lower | agent.md 12 | Depth of sub-agents
limits.command_seconds | integer >= 1 | 600 | T lower | safety.md 5, tools.md 7 | Seconds of one command
limits.job_seconds | integer >= 1 | 21600 | T lower | safety.md 5, tools.md 7 | Seconds of one background job
limits.memory_mib | integer >= 1 | (min(4,096, half of RAM)) | T lower | safety.md 5 | Memory of one command
limits.processes | integer >= 1 | 512 | T lower | safety.md 5 | Processes of one command
limits.cpu_seconds | integer >= 1 | 3600 | T lower | safety.md 5 | CPU seconds of one process
limits.file_size_mib | integer >= 1 | 2048 | T lower | safety.md 5 | Size of a file a command writes
limits.open_files | integer >= 16 | 4096 | T lower | safety.md 5 | Open files of one process
limits.disk_floor_mib | integer >= 0 | 512 | T higher | safety.md 5 | Free space that must stay on the workspace's disk
limits.spill_mib | integer >= 1 | 64 | T lower | tools.md 2.4 | Stored output of one call
limits.spill_session_mib | integer >= 1 | 1024 | T lower | tools.md 2.4 | Stored output of one session
limits.running_calls | integer >= 1 | 8 | T lower | safety.md 5 | Commands at once in a session
limits.running_jobs | integer >= 1 | 16 | T lower | safety.md 5 | Background jobs at once in a session
limits.running_per_user | integer >= 1 | 64 | T lower | safety.md 5 | Commands and jobs at once of a user
limits.files.read_mib | integer >= 1 | 32 | T lower | safety.md 4 | Largest file that is read whole
limits.files.write_mib | integer >= 1 | 64 | T lower | safety.md 4 | Largest file that is written
limits.files.list_entries | integer >= 1 | 100000 | T lower | safety.md 4 | Entries of one listing
limits.files.depth | integer >= 1 | 256 | T lower | safety.md 4 | Depth of a path
limits.files.search_entries | integer >= 1 | 1000000 | T lower | safety.md 4 | Entries one search visits
limits.files.search_seconds | integer >= 1 | 30 | T lower | safety.md 4 | Seconds of one search
limits.shutdown_seconds | seconds | 10 | U | safety.md 7 | Time each part has to shut down

python.interpreter | path | (search of tools.md 8) | U | tools.md 8 | Python that runs scripts
python.project_venv | boolean | false | U | tools.md 8 | Use the virtual environment of the workspace
python.packages.allow | list of text | - | T fewer | tools.md 8 | Only these packages may be installed
python.packages.deny | list of text | - | T more | tools.md 8 | Packages that may not be installed
python.allow_sdist | boolean | false | U | tools.md 8, safety.md 2 | Permits builds from source
python.index_url | url | (pip's own) | U | tools.md 8 | Package index
python.venv_bytes | integer >= 1 | 4294967296 | T lower | tools.md 8 | Size of the user's environment in bytes

data.review | one of required, auto | "required" | T first | data-agent.md 2.4 | Who confirms the stages of the data workflow
data.four_eyes | boolean | false | T true | data-agent.md 2.4 | The confirming person must not be the preparing one
data.max_files | integer >= 1 | 200 | T lower | data-agent.md 4.4 | Source files of a data set
data.max_file_mib | integer >= 1 | 50 | T lower | data-agent.md 4.4 | Size of one source file
data.max_total_mib | integer >= 1 | 500 | T lower | data-agent.md 4.4 | Size of all source files
data.max_segments | integer >= 1 | 20000 | T lower | data-agent.md 4.4 | Segments of all sources
data.max_rows | integer >= 1 | 500000 | T lower | data-agent.md 4.4 | Rows of all tables
data.reader_seconds | integer >= 1 | 60 | T lower | data-agent.md 4.4 | Seconds to read one file
data.page_seconds | integer >= 1 | 10 | T lower | data-agent.md 4.4 | Seconds to read one page
data.reader_memory_mib | integer >= 1 | 1024 | T lower | data-agent.md 4.4 | Memory of a reader
data.segment_target | integer >= 1 | 1000 | P | data-agent.md 4.3 | Characters a segment aims at
data.segment_max | integer >= 1 | 1500 | P | data-agent.md 4.3 | Most characters of a segment

search.provider | text | - | U | tools.md 9.1 | Key of search.providers used first
search.fallback | text | - | U | tools.md 9.1 | Key of search.providers used when the first fails
search.providers.<name>.kind | one of searxng, brave, tavily | - | U | tools.md 9.1 | Which service it is
search.providers.<name>.base_url | url | (SEARXNG_BASE_URL) | U | tools.md 9.1 | Address of the service
search.providers.<name>.api_key_env | text | (BRAVE_SEARCH_API_KEY, TAVILY_API_KEY) | U | tools.md 9.1 | Environment variable that holds its key

skills.disabled | list of text | - | T more | tools.md 10 | Skills that are hidden
lsp.servers.<name>.command | text | (list in tools.md 6) | P | tools.md 6 | Program of a language server
lsp.servers.<name>.args | list of text | (list in tools.md 6) | P | tools.md 6 | Its arguments
lsp.servers.<name>.languages | list of text | (list in tools.md 6) | P | tools.md 6 | Languages it serves
lsp.servers.<name>.settings | object | (list in tools.md 6) | P | tools.md 6 | Settings it is sent
lsp.diagnostics_after_edit | boolean | false | P | tools.md 6 | Report problems after each edit
hooks.before_tool | hooks | - | P | config.md 2, agent.md 2.5 | Programs asked before a tool runs
hooks.after_tool | hooks | - | P | config.md 2, agent.md 2.5 | Programs told after a tool ran
hooks.stop | hooks | - | P | config.md 2, agent.md 2.5 | Programs asked before a task ends
mcp_servers.<name>.command | text | - | P | safety.md 8 | Program of an MCP server
mcp_servers.<name>.args | list of text | - | P | safety.md 8 | Its arguments
mcp_servers.<name>.env | text map | - | P | safety.md 8 | Its environment | secret
mcp_servers.<name>.cwd | path | - | P | safety.md 8 | Its working directory
mcp_servers.<name>.url | url | - | P | safety.md 8 | Address of an MCP server (event stream)
mcp_servers.<name>.http_url | url | - | P | safety.md 8 | Address of an MCP server (streamable HTTP)
mcp_servers.<name>.headers | text map | - | P | safety.md 8 | Headers sent to it | secret
mcp_servers.<name>.timeout | seconds | 120 | P | tools.md 9.3 | Time limit of a call
mcp_servers.<name>.description | text | - | P | tools.md 9.3 | What it is for
mcp_servers.<name>.required | boolean | false | P | agent.md 1.5 | A run does not start without it
mcp_servers.<name>.sandbox | boolean | (false in user scope; always true for a project's) | U | safety.md 8 | Confine it
mcp_servers.<name>.trust | boolean | false | U | safety.md 2 | Its tools need no approval in mode auto
mcp_servers.<name>.read_only_tools | list of text | - | U | agent.md 1 | Its tools that change nothing
allow_mcp_servers | list of text | (all configured) | T fewer | cli.md 4 | MCP servers that are used

server.host | text | "127.0.0.1" | U | safety.md 12 | Address the server listens on
server.port | port | 7878 | U | safety.md 12 | Port it listens on; 0 = any free one
server.host_names | list of text | - | U | safety.md 12 | Names accepted in the Host header
server.auth | server users | - | U | safety.md 12 | Who may use the server | secret
server.tls | certificate | - | U | safety.md 12 | Certificate and key files
server.behind_proxy | boolean | false | U | safety.md 12 | A proxy in front ends TLS
`;
