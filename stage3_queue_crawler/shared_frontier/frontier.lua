-- A crawl's frontier, kept in Redis and shared by as many processes as want to take part.
--
-- Redis runs a script from its first line to its last without doing anything else. So each
-- call below is one step from one consistent state to the next, no matter which processes
-- call or die meanwhile. Page 29 of the book.
--
--   EVALSHA sha 1 {NAME}:meta OPERATION arguments...
--
-- What a crawl keeps there. All its keys begin with "{NAME}:", so that a Redis Cluster
-- keeps them in one place.
--
--   meta        hash    settings, state, clock, counters
--   urls        hash    every URL ever met -> its state, and its number: "q12"
--   met         list    "PAGE q12f13m14": these URLs were met on that page. (The letters were
--               their states at that time, and only separate the numbers.)
--   queue:H     list    what waits for host H: "URL DEPTH REDIRECTS TRIES REFUSALS LOST
--               PARENT WHY" (a zset, if the order is `priority`). WHY: a letter for the
--               purpose (`f`: follow, `c`: check, `x`: check on a foreign host), one for the
--               kind of link that it was met as, and `p` if a private address is no objection
--   checks      list    to be checked when nothing is left to follow: "H ITEM"
--   hosts       hash    H -> "NEXT_START DELAY BUSY HELD_UNTIL GATE CLASS PACED ANSWERS
--               BEGAN". If PACED is `p` (else `-`), it has refused, and more follows: "EPOCH
--               WINDOW RATE REFUSED_AT MEASURES REFUSED_SINCE" (0: no limit, and has answered
--               since). See "The pace", below
--   ended       hash    hosts that are asked nothing more -> why
--   ready       zset    hosts that have work and room, by the time they are due
--   ready_abroad        the same, for foreign hosts
--   parked      zset    put off: "H ITEM", by the time
--   suspects    zset    the same, by the time to look at it: may have killed processes
--   given_up    hash    URL that has killed processes -> "RECORD H URL DEPTH ...": its
--                       record's ID in the stream, and itself, as in suspects
--   rules       hash    H -> what its robots.txt says to us
--   ruled       hash    H -> when it said that
--   sessions    zset    processes taking part, by the time at which their lease ends
--   session:S   hash    one of these: seq, name, done
--   held:S      hash    what it holds: URL -> "SEQ H FLAG EPOCH", and the rest of its item;
--               then, if its host has ended, why
--   records     stream  one for each URL that is done, with its page's number, which
--                       PAGE and PARENT refer to
--   links       list    of pages with very many: those still to be put in
--   places      list    if fragments are checked: "PAGE", and in more lines what is known
--               of its ids, and the fragments of its links; see shared_fragments.h
--   outbox:K    stream  links to hosts that server K has (see "Several servers", below)
--   outboxes    hash    server -> the last entry its outbox has ever had; "sent:SERVER" ->
--                       the last that arrived there and was removed
--   inbox       hash    server -> how much of its outbox has come in
--   history     stream  which processes came, left and died; the last thousand or so
--
-- What is true between any two calls:
--   1. A URL whose state is q is in exactly one of queue:*, parked, suspects, held:*, links.
--      One whose state is c is in checks; others there count no more.
--   2. meta.unfinished is the number of these, plus that of the entries in outboxes; of
--      those with state c only if meta.checking is 1. Until then, meta.deferred has these.
--      meta.to_follow is the number of those to be followed, and of entries in outboxes.
--   3. A URL whose state is f or d has exactly one record; no other has any.
--   4. A host's BUSY is the number of its URLs that are held.
--   5. A host is in `ready` if and only if its queue isn't empty and it has room.
--   6. Each session has its session:S and perhaps a held:S, and there are no others.
--   7. meta.begun equals meta.ended: each call that began has ended, see `begin_call`.
--   8. A URL that max_lost processes have died with is in parked, in suspects or held, and
--      in suspects is no other. Only meta.trial holds one, and it holds nothing else.
--   9. A URL is in given_up if and only if its record says so, and meta.given_up is their
--      number.
--  10. The URLs' numbers are 1, 2, ... meta.known.
--  11. A host's GATE is `e` if and only if it's in ended.
--
-- Times are microseconds of the crawl's own clock: see `tick`.

local FORMAT = '5'

local PREFIX = string.sub(KEYS[1], 1, -5) -- "{NAME}:"
local function key(name) return PREFIX .. name end
local META, URLS, HOSTS, READY = KEYS[1], key('urls'), key('hosts'), key('ready')
local PARKED, SESSIONS, RECORDS = key('parked'), key('sessions'), key('records')
local MET, CHECKS, PLACES = key('met'), key('checks'), key('places')
local READY_FOREIGN = key('ready_abroad')
local LINKS, HISTORY = key('links'), key('history')
local SUSPECTS, GIVEN_UP, ENDED_HOSTS = key('suspects'), key('given_up'), key('ended')
local call, match, find, sub = redis.call, string.match, string.find, string.sub
local byte, format = string.byte, string.format

-- Lua itself would write a large number as 1e+15. (Many are 0, which needs no printf.)
local function int(number) return number == 0 and '0' or format('%.0f', number) end

local function append(list, more)
    for _, value in ipairs(more) do list[#list + 1] = value end
    return list
end

-- unpack() is limited to a few thousand values.
local function in_pieces(command, name, values, per)
    local most = 1000 - 1000 % per
    for i = 1, #values, most do
        call(command, name, unpack(values, i, math.min(i + most - 1, #values)))
    end
end

-- ---- meta, and the clock ----

local SETTINGS = {'lease', 'delay', 'foreign_delay', 'max_per_host', 'max_pages', 'max_lost',
                  'servers', 'rules', 'refused_timeout'}
local COUNTERS = {'clock', 'seen', 'unfinished', 'created', 'known', 'records', 'counted',
                  'dead', 'held', 'lost', 'last_lost', 'given_up', 'retried', 'stale', 'new_session',
                  'arrivals', 'so_far', 'over', 'holds', 'to_follow', 'deferred',
                  'checking', 'ended'}
local M, before = {}, {} -- what meta says; what it said before this call

local function read_meta()
    local all = call('HGETALL', META) -- one pass, where HMGET would search for each
    for i = 1, #all, 2 do M[all[i]] = all[i + 1] end
    for _, name in ipairs(SETTINGS) do M[name] = tonumber(M[name]) end
    for _, name in ipairs(COUNTERS) do
        M[name] = tonumber(M[name])
        before[name] = M[name]
    end
    M.begun = tonumber(M.begun or 0)
    return M.format
end

-- Redis logs what a call changes as one transaction, and if it's killed in the middle of
-- that, it ignores the partial one when it restarts. But (as of 7.0) it leaves that part in
-- its file, and the next restart applies it. That can't be repaired, but it can be detected:
-- `begun` grows by one with the first write of a call, and the last write sets `ended` to
-- what `begun` was then. A call that is applied twice has increased `begun` once more.
local function begin_call()
    -- If memory is full, Redis refuses a call's first write, unless that is a deletion. These
    -- two make room, so they begin with one.
    if ARGV[1] == 'close' or ARGV[1] == 'sent' then call('HDEL', META, '') end
    M.begun = call('HINCRBY', META, 'begun', 1)
end

local function find_half()
    if M.begun == (M.ended or 0) then return nil end
    return redis.error_reply('HALF ' .. META .. ' has a call of which only a part was done')
end

local function write_meta()
    local changed = {'state', M.state, 'trial', M.trial}
    M.ended = M.begun
    for _, name in ipairs(COUNTERS) do
        if M[name] ~= before[name] then
            changed[#changed + 1] = name
            changed[#changed + 1] = int(M[name])
        end
    end
    call('HSET', META, unpack(changed))
end

-- [tick]
-- The crawl has its own clock. It follows Redis's, but never goes backwards, and of any
-- time without calls it counts only a third of a lease. So no lease ends merely because
-- Redis was away, or all processes were.
local function tick()
    local time = call('TIME')
    local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
    M.clock = M.clock + math.max(0, math.min(now - M.seen, M.lease / 3))
    M.seen = now
end
-- [/tick]

-- Nothing is left to follow: what waited for that becomes work. See `put_checks_in`.
local function begin_to_check()
    M.checking = 1
    M.unfinished, M.created = M.unfinished + M.deferred, M.created + M.deferred
    M.deferred = 0
end

local function note_state()
    if M.to_follow == 0 and M.servers == 1 and M.checking == 0 then begin_to_check() end
    if (M.checking == 1 and M.unfinished or M.to_follow) == 0 then
        -- Another server may still have links for us: see `finish`.
        M.state = (M.servers == 1 or M.over == 1) and 'complete' or 'idle'
    elseif M.max_pages > 0 and M.counted >= M.max_pages
           and call('EXISTS', LINKS) == 0 then -- else records are still to come
        M.state = 'max_pages'
    else
        M.state = 'running'
    end
end

local function summary()
    return {M.state, int(M.unfinished + M.deferred), int(M.records), int(M.known), int(M.dead),
            int(M.held), int(M.given_up), int(M.holds)}
end

local function note(what, session, count)
    local name = call('HGET', key('session:' .. session), 'name') or ''
    call('XADD', HISTORY, 'MAXLEN', '~', 1000, '*', 'what', what, 'session', session,
         'name', name, 'urls', count)
end

-- For each call Redis runs this from its first line, and makes all functions anew. Lua searches
-- for each variable that such a function shares with the code around it, but not for those
-- from outside a function around both. So the rest is in one: that saves a fifth of a call that
-- does nothing.
local function run()

-- ---- Hosts ----

local hosts = {} -- those that this call touches

local function queue_length(name)
    return call(M.order == 'priority' and 'ZCARD' or 'LLEN', key('queue:' .. name))
end

local NO_RULES, ASKING, OPEN, TO_BEGIN, ENDED = '?', 'a', 'o', 'b', 'e'
local HOME, FOREIGN = 'h', 'x' -- a host's class: on a foreign one, we are a guest
local PACED, NOT_PACED = 'p', '-'
local NO_LIMIT = math.huge -- of a window, and of a rate
local NEVER_ASKED = '0 0'

local function as_number(limit) return limit == NO_LIMIT and '0' or format('%.17g', limit) end

local function as_limit(text)
    local number = tonumber(text)
    return number == 0 and NO_LIMIT or number
end

local function read_pace(value)
    local epoch, window, rate, refused_at, measures, since =
        match(value, ' (%d+) (%d+) (%S+) (%S+) (%d) (%d+)$')
    return {epoch = tonumber(epoch), window = as_limit(window), rate = as_limit(rate),
            refused_at = as_limit(refused_at), measures = measures == '1',
            refused_since = since}
end

local function write_pace(pace)
    if not pace then return '' end
    return table.concat({'', pace.epoch, as_number(pace.window), as_number(pace.rate),
                         as_number(pace.refused_at), pace.measures and 1 or 0,
                         pace.refused_since}, ' ')
end

-- `gate`: NO_RULES: its robots.txt has not been asked for. ASKING: a process is asking for
-- it. OPEN. TO_BEGIN: it wants a delay, and a request has yet to begin. ASKING and TO_BEGIN
-- keep all others out. ENDED: it's asked nothing more, so nobody has to wait for it. What a
-- robots.txt says is good for a day (RFC 9309, section 2.4).
-- `value`: what HOSTS says, of which "ANSWERS BEGAN" is read only when it's needed. `pace`: nil
-- for a host that has never refused.
local A_DAY = 24 * 3600 * 1000000
local function host(name)
    local h = hosts[name]
    if h then return h end
    h = {next = 0, delay = 0, busy = 0, hold = 0, gate = M.rules == 1 and NO_RULES or OPEN,
         class = HOME, value = NEVER_ASKED, stretch = 1, new = {}, back = {},
         is_changed = true}
    local value = call('HGET', HOSTS, name)
    if value then
        local start, delay, busy, hold, gate, class, paced, stretch =
            match(value, '^(%d+) (%d+) (%d+) (%d+) (.) (.) (.) ()')
        h.next, h.delay, h.busy = tonumber(start), tonumber(delay), tonumber(busy)
        h.hold, h.gate, h.class = tonumber(hold), gate, class
        h.value, h.stretch = value, stretch -- where that begins
        if paced == PACED then h.pace = read_pace(value) end
        if M.rules == 1 and gate == OPEN
           and M.clock - (call('HGET', key('ruled'), name) or M.clock) > A_DAY then
            h.gate = NO_RULES
        end
        h.is_changed = false
    else
        call('DEL', key('queue:' .. name)) -- left by a crawl that was only partly removed
    end
    h.length = queue_length(name)
    hosts[name] = h
    return h
end

-- From the start of one request to that of the next.
local function delay_of(h)
    local distance = h.pace and math.ceil(1000000 / h.pace.rate) or 0
    return math.max(h.delay, M.delay, h.class == FOREIGN and M.foreign_delay or 0, distance)
end

-- What robots.txt wants is counted from the end of a request, unless the user has said how
-- many there may be at once.
local function goes_one_by_one(h) return h.delay > 0 and M.max_per_host == 0 end

-- Requests at once.
local function most_of(h)
    local most = M.max_per_host
    if h.class == FOREIGN or h.delay > 0 and most == 0 then return 1 end
    if most == 0 then most = NO_LIMIT end
    return h.pace and math.min(most, h.pace.window) or most
end

local function has_room(h)
    return h.gate == ENDED
           or h.gate ~= ASKING and h.gate ~= TO_BEGIN and h.busy < most_of(h)
end

-- When it may be asked, as far as it's concerned.
local function due(h) return h.gate == ENDED and 0 or math.max(h.next, h.hold) end

-- Shorter URLs first; those of equal length in the order in which they came.
local function push_by_length(queue, items, is_new)
    local scored = {}
    for _, item in ipairs(items) do
        M.arrivals = M.arrivals + 1
        local length = is_new and #match(item, '%S+') or 0
        scored[#scored + 1] = int(length * 2 ^ 33 + M.arrivals)
        scored[#scored + 1] = item
    end
    in_pieces('ZADD', queue, scored, 2)
end

-- Puts what came to a host into its queue. Items that come back, having had their turn, go
-- before all that haven't.
local function push(name, h)
    local queue = key('queue:' .. name)
    if M.order == 'priority' then
        push_by_length(queue, h.back, false)
        push_by_length(queue, h.new, true)
    else
        in_pieces('RPUSH', queue, h.new, 1)
        in_pieces(M.order == 'lifo' and 'RPUSH' or 'LPUSH', queue, h.back, 1)
    end
    h.length = h.length + #h.new + #h.back
    h.new, h.back = {}, {}
end

local function pop(name, h, count)
    local queue, items = key('queue:' .. name), {}
    if M.order ~= 'priority' then
        items = call(M.order == 'lifo' and 'RPOP' or 'LPOP', queue, count) or {}
    else
        local scored = call('ZPOPMIN', queue, count)
        for i = 1, #scored, 2 do items[#items + 1] = scored[i] end
    end
    h.length = h.length - #items
    return items
end

-- A host already in `ready` keeps its place, unless it was asked or put on hold.
local function stand_in_line(name, h, place)
    local ready = h.class == FOREIGN and READY_FOREIGN or READY
    if h.length == 0 or not has_room(h) then
        call('ZREM', ready, name)
    elseif h.has_moved then
        call('ZADD', ready, int(math.max(due(h), place)), name)
    else
        call('ZADD', ready, 'NX', int(math.max(due(h), place)), name)
    end
    h.has_moved = false
end

local function write_stretch(h)
    if h.answers then return h.answers .. ' ' .. h.began end
    return match(h.value, '^%d+ %d+', h.stretch)
end

local function write_hosts()
    local lines = {}
    for name, h in pairs(hosts) do
        if h.is_changed then
            lines[#lines + 1] = name
            lines[#lines + 1] = int(h.next) .. ' ' .. int(h.delay) .. ' ' .. h.busy .. ' '
                                .. int(h.hold) .. ' ' .. h.gate .. ' ' .. h.class .. ' '
                                .. (h.pace and PACED or NOT_PACED) .. ' '
                                .. write_stretch(h) .. write_pace(h.pace)
            h.is_changed = false
        end
    end
    in_pieces('HSET', HOSTS, lines, 2)
end

local met, checks = {}, {} -- what goes into MET and CHECKS

-- Puts what has come into the hosts' queues, and updates which hosts are ready.
local function settle()
    in_pieces('RPUSH', MET, met, 1)
    in_pieces('RPUSH', CHECKS, checks, 1)
    met, checks = {}, {}
    for name, h in pairs(hosts) do
        push(name, h)
        stand_in_line(name, h, M.clock)
    end
end

-- ---- The pace ----
-- How fast a host may be asked, found by being refused: these are the rules of
-- crawler/pace.h, for all processes together. What a host that has never refused needs of
-- them is how many answers it has given (ANSWERS) since the first request (BEGAN).

local ZERO = byte('0')
local MOST_ABOVE, LESS, NEAR, QUICKLY = 1.5, 0.95, 0.9, 1.1

-- (Times stay texts: they are rarely needed as numbers.)
local function read_stretch(h)
    if h.answers then return end
    local answers, began = match(h.value, '^(%d+) (%d+)', h.stretch)
    h.answers, h.began = tonumber(answers), began
end

local now -- the clock's time, as a text
local function clock_text()
    now = now or int(M.clock)
    return now
end

-- A request goes out: is it the first?
local function note_first(h)
    if h.answers or byte(h.value, h.stretch) ~= ZERO then return end
    read_stretch(h)
    if h.began ~= '0' then return end
    h.began, h.is_changed = clock_text(), true
end

-- Beyond a thousand a second, it's no limit any more; less than one a minute is no crawl.
local function set_rate(pace, rate)
    pace.rate = rate > 1000 and NO_LIMIT or math.max(rate, 1 / 60)
end

-- A request goes out. The first one after a refusal ends a stretch: what was answered in
-- it, and how long it took, is the rate that the host puts up with.
local function begin_at_pace(h)
    local pace = h.pace
    if not pace or not pace.measures then return end
    read_stretch(h)
    pace.measures, h.is_changed = false, true
    if h.answers == 0 then return end -- it may have been our own pause
    local time = math.max((M.clock - tonumber(h.began)) / 1000000, 0.001)
    local measured = h.answers / time
    if pace.rate == NO_LIMIT then measured = math.max(measured, 1) end -- it may be an accident
    pace.refused_at = math.min(pace.rate, MOST_ABOVE * measured)
    set_rate(pace, math.min(measured, LESS * pace.rate))
    h.answers, h.began = 0, clock_text()
end

local HAS_ANSWERED = '0' -- since it last refused

local function slow_down(h, epoch)
    h.pace = h.pace or {epoch = 0, rate = NO_LIMIT, refused_at = NO_LIMIT, measures = false,
                        refused_since = HAS_ANSWERED}
    h.pace.window, h.is_changed = 1, true
    if epoch ~= h.pace.epoch then return end
    h.pace.epoch, h.pace.measures = epoch + 1, true
end

-- It has refused a request that was sent in `epoch`. Others that were sent with it say the
-- same; only the first one counts.
local function note_refused(h, epoch)
    slow_down(h, epoch)
    if h.pace.refused_since == HAS_ANSWERED then h.pace.refused_since = clock_text() end
end

-- 503, without saying until when. If that is all it says, it's no limit: it's broken.
local function note_busy(h, epoch)
    read_stretch(h)
    if h.answers > 0 or epoch ~= (h.pace and h.pace.epoch or 0) then
        slow_down(h, epoch)
    elseif h.pace then
        h.pace.window, h.is_changed = NO_LIMIT, true
    end
    if h.pace then h.pace.refused_since = HAS_ANSWERED end -- it's no refusal
end

-- It has answered. If others wait, it's the pace that holds them up.
local function note_answered(h)
    read_stretch(h)
    h.answers, h.is_changed = h.answers + 1, true
    local pace = h.pace
    if not pace then return end
    pace.refused_since = HAS_ANSWERED
    pace.window = pace.window + 1
    local others = h.length + #h.new + #h.back
    if pace.rate == NO_LIMIT or pace.measures or others == 0 then return end
    local slowly = 0.005 * (1 + h.answers / 20)
    local is_far = pace.rate < NEAR * pace.refused_at
    set_rate(pace, pace.rate * (is_far and QUICKLY or 1 + math.min(slowly, 0.1)))
end

-- We must know when its requests begin.
local function goes_step_by_step(h)
    return delay_of(h) > 0 or h.pace and h.pace.measures
end

-- May a process have items of it ahead? While such an item isn't fetched, it would keep others
-- from theirs, if only so many may be under way.
local function gives_ahead(h)
    return h.gate == ENDED
           or h.gate ~= NO_RULES and not goes_step_by_step(h)
              and not (h.pace and h.pace.window < NO_LIMIT)
end

local function hold(h, milliseconds)
    h.hold = math.max(h.hold, M.clock + milliseconds * 1000)
    h.has_moved, h.is_changed = true, true
end

-- It's asked nothing more. What was put off needn't wait.
local function end_host(name, h, reason)
    if h.gate == ENDED then return end
    h.gate, h.has_moved, h.is_changed = ENDED, true, true
    call('HSET', ENDED_HOSTS, name, reason)
    M.holds = M.holds + 1
    for _, text in ipairs(call('ZRANGE', PARKED, 0, -1)) do
        if match(text, '^%S+') == name then call('ZADD', PARKED, int(M.clock), text) end
    end
end

-- ---- URLs ----

local IS_MET = byte('m') -- its state: too deep to become work, so far
local IS_DEFERRED = byte('c') -- to be checked, unless a link turns it into a page

-- That URL of a host becomes work.
local function enqueue(name, item, class)
    local h = host(name)
    if class == FOREIGN and h.class ~= FOREIGN then h.class, h.is_changed = FOREIGN, true end
    h.new[#h.new + 1] = item
end

-- A URL becomes work. `rest`: what its item says after it. Returns its new state.
local function begin_work(url, name, rest, purpose, was_deferred)
    if purpose == 'c' and M.checking == 0 then
        M.deferred = M.deferred + 1
        checks[#checks + 1] = name .. ' ' .. url .. rest
        return 'c'
    end
    if was_deferred and M.checking == 0 then M.deferred = M.deferred - 1 end
    if not was_deferred or M.checking == 0 then
        M.unfinished = M.unfinished + 1
        M.created = M.created + 1
    end
    if purpose == 'f' then M.to_follow = M.to_follow + 1 end
    enqueue(name, url .. rest, purpose)
    return 'q'
end

-- A chunk's URLs were met on a page, and each that wasn't work yet becomes work. `values`, from
-- `first` on, is what is known of them: "q12". What changes is also put into `now`. Returns how
-- many were new, if they are links.
--   kind    "DEPTH REDIRECTS WHAT WHY". WHAT is `l`: links on that page; `d`: the same, but too
--           deep to be followed; `r`: a redirect's target, or roots, which are on no page
--   hosts   "HOST COUNT HOST COUNT...": the first COUNT URLs belong to the first HOST, and so on
local function meet_chunk(chunk, page, values, first, now)
    local depth, redirects, what, why = match(chunk.kind, '^(%d+) (%d+) (%a) (%a+)$')
    local rest = what ~= 'd' and ' ' .. depth .. ' ' .. redirects .. ' 0 0 0 ' .. page .. ' '
                                 .. why or nil
    local purpose, new = sub(why, 1, 1), 0
    local words, name, last = string.gmatch(chunk.hosts, '%S+'), nil, 0
    for i, url in ipairs(chunk.urls) do
        local value = now[url] or values[first + i]
        local state = value and byte(value)
        local was_deferred = state == IS_DEFERRED and purpose == 'f'
        if not value or rest and (state == IS_MET or was_deferred) then
            if not value then
                new = new + 1
                value = 'm' .. M.known + new
            end
            if rest then
                while i > last do name, last = words(), last + tonumber(words()) end
                value = begin_work(url, name, rest, purpose, was_deferred) .. sub(value, 2)
            end
            now[url] = value
        end
        values[first + i] = value
    end
    M.known = M.known + new
    return why == 'fa' and what ~= 'r' and new or 0
end

-- These chunks, with 500 URLs at most, were met on that page. Only roots may occur twice in a
-- chunk. Returns how many links were new.
local function meet(chunks, page)
    local urls = chunks[1] and chunks[1].urls or {}
    if #chunks > 1 then
        urls = {}
        for _, chunk in ipairs(chunks) do append(urls, chunk.urls) end
    end
    if #urls == 0 then return 0 end
    local values, now, changed = call('HMGET', URLS, unpack(urls)), {}, {}
    local new, first = 0, 0
    for _, chunk in ipairs(chunks) do
        new = new + meet_chunk(chunk, page, values, first, now)
        first = first + #chunk.urls
    end
    for url, value in pairs(now) do
        changed[#changed + 1] = url
        changed[#changed + 1] = value
    end
    in_pieces('HSET', URLS, changed, 2)
    if not find(chunks[1].kind, ' r ', 1, true) then -- a redirect's target is on no page
        met[#met + 1] = page .. ' ' .. table.concat(values)
    end
    return new
end

-- A chunk as a single text, a line for each: KIND, HOSTS, URL*.
local function meet_text(text, page)
    local lines = string.gmatch(text, '[^\n]+')
    local chunk = {kind = lines(), hosts = lines(), urls = {}}
    for url in lines do chunk.urls[#chunk.urls + 1] = url end
    meet({chunk}, page)
end

-- ---- Records ----

-- The URL is done: writes its one record, and returns the record's ID. `number`: its page's.
local function finish_url(number, record, new)
    local url, outcome = record[1], record[4]
    local is_dead = outcome == 'error' or outcome == 'failed'
    call('HSET', URLS, url, (is_dead and 'd' or 'f') .. sub(call('HGET', URLS, url), 2))
    M.unfinished = M.unfinished - 1
    if record[15] == 'f' then M.to_follow = M.to_follow - 1 end
    if is_dead then M.dead = M.dead + 1 end
    return call('XADD', RECORDS, '*', 'number', int(number), 'new_links', new, 'url', url,
                'depth', record[2], 'parent', record[3], 'outcome', outcome,
                'status', record[5], 'next_url', record[6], 'error', record[7],
                'content_type', record[8], 'charset', record[9], 'bytes', record[10],
                'links', record[11], 'tries', record[12], 'seconds', record[13],
                'kind', record[14], 'purpose', record[15])
end

-- The last page's number. That of a record that was withdrawn isn't used again.
local function page_number() return M.records + M.retried end

-- Its server wasn't asked for it, so it doesn't count for max_pages.
local function was_unasked(outcome, tries)
    return outcome == 'disallowed' or outcome == 'unclear' and tries == '0'
end

-- A page is done: it gets the next number, its links are put in, and its record is written.
-- If there are many links, see `put_links_in`.
local function take_page(record, chunks)
    M.records = M.records + 1
    if not was_unasked(record[4], record[12]) then M.counted = M.counted + 1 end
    local number, links = page_number(), 0
    for _, chunk in ipairs(chunks) do links = links + #chunk.urls end
    if links <= 500 then return finish_url(number, record, meet(chunks, int(number))) end
    for _, chunk in ipairs(chunks) do
        chunk.number = number
        call('RPUSH', LINKS, cjson.encode(chunk))
    end
    call('RPUSH', LINKS, cjson.encode({number = number, record = record}))
end

local ENOUGH = 1000 -- links per call: more would hold up all others
local JAM = 100 -- while more chunks than this wait, no pages are handed out

-- A page with ten thousand links would block Redis for a twentieth of a second. So they
-- wait in `links`, and each call takes some of them; the page's record comes last.
local function put_links_in()
    local count = 0
    while count < ENOUGH do
        local text = call('LPOP', LINKS)
        if not text then return end
        local one = cjson.decode(text)
        if one.urls then
            M.so_far = M.so_far + meet({one}, int(one.number))
            count = count + #one.urls + 20 -- a chunk takes time, too, however short it is
        else
            finish_url(one.number, one.record, M.so_far)
            M.so_far = 0
        end
    end
end

-- The same, for what is to be checked, from the moment when nothing is left to follow.
local function put_checks_in()
    if M.checking == 0 then return end
    local some, changed = call('LPOP', CHECKS, ENOUGH) or {}, {}
    local urls = {}
    for i, text in ipairs(some) do urls[i] = match(text, '^%S+ (%S+)') end
    local values = #urls > 0 and call('HMGET', URLS, unpack(urls)) or {}
    for i, text in ipairs(some) do
        if byte(values[i]) == IS_DEFERRED then -- else it's a page by now
            changed[#changed + 1] = urls[i]
            changed[#changed + 1] = 'q' .. sub(values[i], 2)
            enqueue(match(text, '^(%S+) (.*)$'))
        end
    end
    in_pieces('HSET', URLS, changed, 2)
end

-- ---- What is held ----

local function read_held(value)
    local seq, name, flag, epoch, depth, redirects, tries, refusals, lost, parent, why =
        match(value, '^(%d+) (%S+) (%S) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (%a+)')
    return {seq = seq, host = name, flag = flag, epoch = epoch, depth = depth,
            redirects = redirects, tries = tries, refusals = refusals,
            lost = tonumber(lost), parent = parent, why = why}
end

-- (Of a host that hasn't ended.)
local function write_held(held)
    return table.concat({held.seq, held.host, held.flag, held.epoch, held.depth,
                         held.redirects, held.tries, held.refusals, int(held.lost),
                         held.parent, held.why}, ' ')
end

-- A delay counts from the moment a request begins. From the lease until then (or until it's
-- known that none will), a host with a delay is closed.
local function has_asked(h)
    if h.gate == TO_BEGIN then h.gate = OPEN end
    h.next = math.max(h.next, M.clock + delay_of(h))
    h.has_moved, h.is_changed = true, true
end

-- It's no longer held, so the host has room for another. `unasked`: the host was asked for
-- nothing, so no other request has to wait.
local function leave(held, unasked)
    local h = host(held.host)
    h.busy = h.busy - 1
    h.is_changed = true
    M.held = M.held - 1
    if held.flag == 'r' and h.gate == ASKING then
        h.gate = NO_RULES -- they aren't being asked for any more
    end
    if unasked then
        if held.flag == 'b' and h.gate == TO_BEGIN then h.gate = OPEN end
    elseif held.flag == 'r' or held.flag == 'b' then
        has_asked(h) -- it may have: there's no telling
    elseif held.flag == '-' and goes_one_by_one(h) then
        h.next, h.has_moved = math.max(h.next, M.clock + h.delay), true
    end
    return h
end

local function as_item(url, held)
    return table.concat({url, held.depth, held.redirects, held.tries, held.refusals,
                         int(held.lost), held.parent, held.why}, ' ')
end

-- An item that has had its turn has another. A suspect stays one.
local function come_back(name, item, lost)
    if lost >= M.max_lost then
        call('ZADD', SUSPECTS, int(M.clock), name .. ' ' .. item)
    else
        local h = host(name)
        h.back[#h.back + 1] = item
    end
end

-- As if it had never been taken out.
local function give_back(url, held)
    leave(held)
    come_back(held.host, as_item(url, held), held.lost)
end

local function park(url, held, time)
    local h = leave(held)
    if h.gate == ENDED then time = M.clock end
    call('ZADD', PARKED, int(time), held.host .. ' ' .. as_item(url, held))
end

local function unpark()
    local some = call('ZRANGE', PARKED, '-inf', int(M.clock), 'BYSCORE', 'LIMIT', 0, 100)
    if #some == 0 then return end
    call('ZREM', PARKED, unpack(some))
    for i = #some, 1, -1 do
        local name, item, lost =
            match(some[i], '^(%S+) (%S+ %d+ %d+ %d+ %d+ (%d+) %S+ %a+)$')
        come_back(name, item, tonumber(lost))
    end
end

-- ---- Sessions ----

local ONE_BY_ONE = 200000 -- microseconds between two of them; less if there are many

-- If a process dies that held only a suspect, that's evidence, but it may still be chance. If
-- a process dies every m seconds on average, a fetch of w seconds is hit with probability
-- w/m: 0.003 for 0.2 s and a minute. Two such deaths, 0.00001, are ENOUGH; and a URL must be
-- hit twice before to become a suspect at all. But if something kills all processes every 2 s,
-- and fetches take 0.5 s, w/m is 1/4. Then others die at about the same time, and the URL
-- can't have killed those. Such a death is VAGUE, and eight of them are needed: 0.00002.
local CLEAR, VAGUE, ENOUGH = 4, 1, 8

-- Did no other process die within two thirds of a lease before that one, or a third after?
-- `ended`: when its lease did. All that are alive have shown it less than half a lease ago.
local function died_alone(ended)
    local silent = call('ZRANGE', SESSIONS, 0, 0, 'WITHSCORES')[2]
    return ended - M.last_lost > M.lease * 2 / 3
           and not (silent and tonumber(silent) < M.clock + M.lease / 3)
end

-- What a lost process held comes back one URL at a time, because one of them may have killed
-- it; the next process that dies of that one shouldn't take the same innocents along. But a
-- process may also die for other reasons, so its death is evidence only against a suspect,
-- which is all that it held. See "Suspects", below. LOST counts: first deaths, then evidence.
local function take_over(url, held, wait, evidence)
    held.lost = held.lost + (held.lost < M.max_lost and 1 or evidence)
    M.lost = M.lost + 1
    if held.lost < M.max_lost + ENOUGH then
        park(url, held, M.clock + wait)
        return
    end
    leave(held)
    local id = take_page({url, held.depth, held.parent, 'failed', '', '',
                          'several processes have ended while they fetched only it', '', '',
                          '0', '0', held.tries, '0', sub(held.why, 2, 2), sub(held.why, 1, 1)},
                         {})
    held.lost = M.max_lost
    call('HSET', GIVEN_UP, url, id .. ' ' .. held.host .. ' ' .. as_item(url, held))
    M.given_up = M.given_up + 1
end

local function end_session(session, is_lost)
    local all = call('HGETALL', key('held:' .. session))
    local apart = math.min(ONE_BY_ONE, M.lease / math.max(1, #all / 2))
    local ended = tonumber(call('ZSCORE', SESSIONS, session))
    call('ZREM', SESSIONS, session)
    local evidence = died_alone(ended) and CLEAR or VAGUE
    if is_lost then M.last_lost = ended end
    if M.trial == session then M.trial = '' end
    note(is_lost and 'lost' or 'left', session, #all / 2)
    for i = 1, #all, 2 do
        local held = read_held(all[i + 1])
        if is_lost then
            take_over(all[i], held, (i - 1) / 2 * apart, evidence)
        else
            give_back(all[i], held)
        end
    end
    call('DEL', key('held:' .. session), key('session:' .. session))
end

-- [reclaim]
-- A session whose lease has ended is dead to us: others get what it held.
local function reclaim()
    local over = call('ZRANGE', SESSIONS, '-inf', '(' .. int(M.clock), 'BYSCORE',
                      'LIMIT', 0, 10)
    for _, session in ipairs(over) do end_session(session, true) end
end
-- [/reclaim]

-- ---- Leasing ----

-- One item leaves its queue for that session. `flag`: `r` if the process must first find out
-- what the host's robots.txt says; `b` if the host has a delay, so that we must be told when
-- the request begins; `e` if it has ended; otherwise `-`. `last`: what comes after the item.
local function hand_out(item, name, flag, epoch, last, seq, leased, lines)
    local space = find(item, ' ', 1, true)
    local url = sub(item, 1, space - 1)
    local held = seq .. ' ' .. name .. ' ' .. flag .. ' ' .. epoch .. sub(item, space) .. last
    lines[#lines + 1], leased[#leased + 1] = url, url
    lines[#lines + 1], leased[#leased + 1] = held, held
end

-- Leases at most `want` items of one host, whose turn it must be. `take` takes them from
-- where they wait.
local function lease_from(name, h, want, take, seq, leased, lines)
    local flag, last = '-', ''
    if h.gate == ENDED then
        flag, last = 'e', ' ' .. call('HGET', ENDED_HOSTS, name)
    elseif h.gate == NO_RULES then
        flag, want, h.gate = 'r', 1, ASKING
    elseif goes_step_by_step(h) then
        flag, want, h.gate = 'b', 1, TO_BEGIN
    else
        want = math.min(want, most_of(h) - h.busy)
    end
    if flag ~= 'r' then note_first(h) end
    local items, epoch = take(want), h.pace and h.pace.epoch or 0
    for _, item in ipairs(items) do
        hand_out(item, name, flag, epoch, last, seq, leased, lines)
    end
    h.busy = h.busy + #items
    h.is_changed, h.has_moved = true, true
    M.held = M.held + #items
    return #items
end

-- ---- Suspects ----
-- A URL with which max_lost processes have died is leased only alone: to a session that is
-- on trial. That gets nothing new until what it holds is done; then it gets the suspect, and
-- nothing else until it has reported on that. All others carry on as usual.

-- One that may be fetched now. Those whose hosts may not be asked yet have to wait.
local function find_suspect()
    for _, text in ipairs(call('ZRANGE', SUSPECTS, '-inf', int(M.clock), 'BYSCORE', 'LIMIT',
                               0, 10)) do
        local h = host(match(text, '^%S+'))
        local time = math.max(due(h), has_room(h) and 0 or M.clock + ONE_BY_ONE)
        if time <= M.clock then return text end
        call('ZADD', SUSPECTS, int(time), text)
    end
    return nil
end

-- What this session gets if it's on trial: a suspect if it holds nothing, or else nothing;
-- nil if it isn't on trial. A session is told that it's on trial before it's given anything:
-- its process may hold something that belongs to another server, which we can't know.
local function try_suspect(session, seq, want)
    if M.trial ~= session then
        if M.trial ~= '' or want < 1 or not find_suspect() then return nil end
        M.trial = session
        return {}
    end
    if call('HLEN', key('held:' .. session)) > 0 then return {} end
    local suspect = find_suspect()
    if not suspect then
        M.trial = ''
        return nil
    end
    local leased, lines = {}, {}
    if want > 0 then
        local name, item = match(suspect, '^(%S+) (.*)$')
        call('ZREM', SUSPECTS, suspect)
        lease_from(name, host(name), 1, function() return {item} end, seq, leased, lines)
        stand_in_line(name, host(name), M.clock)
        call('HSET', key('held:' .. session), unpack(lines))
    end
    return leased
end

-- ---- Leasing, in turn ----

-- Leases at most `want` items, from all hosts in turn: one that has just been asked goes
-- after all that are ready. (Their places differ by a microsecond each.) Then `ahead` more.
-- Appends them to `leased`, and what is to be written down to `lines`.
local function lease_in_turn(ready, seq, want, ahead, leased, lines)
    local place, goes_on = 0, true
    while want + ahead > 0 and goes_on do
        goes_on = false
        local names = call('ZRANGE', ready, '-inf', int(M.clock + place), 'BYSCORE',
                           'LIMIT', 0, want + ahead)
        local share = math.ceil((want + ahead) / math.max(#names, 1))
        for _, name in ipairs(names) do
            local h = host(name)
            local most = math.min(share, gives_ahead(h) and want + ahead or want)
            if most > 0 and due(h) <= M.clock then
                local count = lease_from(name, h, most,
                                         function(some) return pop(name, h, some) end,
                                         seq, leased, lines)
                ahead = ahead - math.max(0, count - want)
                want, place = math.max(0, want - count), place + 1
                goes_on = goes_on or count > 0
                stand_in_line(name, h, M.clock + place)
            end
        end
    end
end

-- At most `want` items, `ahead` more, and `foreign` of foreign hosts; `room` in all. The second
-- result: how many are not of foreign hosts.
local function lease(session, seq, want, ahead, foreign, room)
    local suspect = try_suspect(session, seq, want)
    if suspect then return suspect, #suspect / 2 end
    -- An item that waits in a process takes one of its host's places, and it's too late for
    -- anything newer, or shorter, to overtake it.
    if M.max_per_host > 0 or M.order ~= 'fifo' then ahead = 0 end
    local leased, lines = {}, {}
    lease_in_turn(READY, seq, want, ahead, leased, lines)
    local at_home = #leased / 2
    lease_in_turn(READY_FOREIGN, seq, math.max(0, math.min(foreign, room - at_home)), 0, leased,
                  lines)
    in_pieces('HSET', key('held:' .. session), lines, 2)
    return leased, at_home
end

-- In how many milliseconds there may be something to lease; -1: unknown. `may_more`: as far
-- as max_pages is concerned. `home`, `foreign`: for whom it's to be.
local function next_time(session, may_more, home, foreign)
    if call('EXISTS', LINKS) == 1 or M.checking == 1 and call('EXISTS', CHECKS) == 1 then
        return 0
    end
    if not may_more or M.trial == session then return -1 end
    local first
    local places = {PARKED}
    if home then places[#places + 1] = READY end
    if home and M.trial == '' then places[#places + 1] = SUSPECTS end
    if foreign then places[#places + 1] = READY_FOREIGN end
    for _, name in ipairs(places) do
        local one = call('ZRANGE', name, 0, 0, 'WITHSCORES')
        if one[2] and (not first or tonumber(one[2]) < first) then
            first = tonumber(one[2])
        end
    end
    if not first then return -1 end
    return math.max(0, math.ceil((first - M.clock) / 1000))
end

-- ---- Results ----

local results = {} -- each takes the session and its place in ARGV; returns the next place

local gone, dealt_with = {}, {} -- URLs that leave held:S in this call

-- What the session holds under that URL; nil if another session has it by now.
local function held_by(session, url)
    if dealt_with[url] then return nil end
    local value = call('HGET', key('held:' .. session), url)
    return value and read_held(value)
end

local function let_go(session, url)
    local held = held_by(session, url)
    if held then
        gone[#gone + 1] = url
        dealt_with[url] = true
    else
        M.stale = M.stale + 1
    end
    return held
end

-- ARGV[first...] is (SERVER CHUNK)*count: this page's links to hosts of other servers.
local function put_in_outboxes(first, count)
    for i = first, first + 2 * count - 1, 2 do
        local id = call('XADD', key('outbox:' .. ARGV[i]), '*', 'page',
                        int(page_number()), 'chunk', ARGV[i + 1])
        call('HSET', key('outboxes'), ARGV[i], id)
        M.unfinished, M.to_follow = M.unfinished + 1, M.to_follow + 1
        M.created = M.created + 1
    end
end

-- The chunks of links in ARGV[i...], N (KIND HOSTS COUNT URL*COUNT)*N, and the place after.
local function read_chunks(i)
    local chunks, place = {}, i + 1
    for n = 1, tonumber(ARGV[i]) do
        local last = place + 2 + tonumber(ARGV[place + 2])
        chunks[n] = {kind = ARGV[place], hosts = ARGV[place + 1],
                     urls = {unpack(ARGV, place + 3, last)}}
        place = last + 1
    end
    return chunks, place
end

local function record_of(url, held, i)
    local record = {url, held.depth, held.parent, unpack(ARGV, i + 2, i + 11)}
    record[14], record[15] = sub(held.why, 2, 2), sub(held.why, 1, 1)
    return record
end

local function note_places(text)
    if text ~= '' then call('RPUSH', PLACES, int(page_number()) .. '\n' .. text) end
end

-- [done]
-- done URL OUTCOME STATUS NEXT_URL ERROR CONTENT_TYPE CHARSET BYTES LINKS TRIES SECONDS
--      PLACES REACTION  O (SERVER CHUNK)*O  N (KIND HOSTS COUNT URL*COUNT)*N
-- A page is done and its links are in: both or neither. REACTION: `a` if its host has answered,
-- else `-`. O: chunks for other servers.
function results.done(session, i)
    local url, others = ARGV[i + 1], tonumber(ARGV[i + 14])
    local chunks, place = read_chunks(i + 15 + 2 * others)
    local held = let_go(session, url)
    if held then
        if ARGV[i + 13] == 'a' then note_answered(host(held.host)) end
        local unasked = was_unasked(ARGV[i + 2], ARGV[i + 10])
        leave(held, unasked)
        take_page(record_of(url, held, i), chunks)
        put_in_outboxes(i + 15, others)
        note_places(ARGV[i + 12])
    end
    return place
end
-- [/done]

-- park URL MILLISECONDS TRIES REFUSALS REACTION: to be tried again, later.
function results.park(session, i)
    local url = ARGV[i + 1]
    local held = let_go(session, url)
    if held then
        if ARGV[i + 5] == 'a' then note_answered(host(held.host)) end
        held.tries, held.refusals = ARGV[i + 3], ARGV[i + 4]
        park(url, held, M.clock + tonumber(ARGV[i + 2]) * 1000)
    end
    return i + 6
end

-- back URL: as if it had never been leased.
function results.back(session, i)
    local held = let_go(session, ARGV[i + 1])
    if held then give_back(ARGV[i + 1], held) end
    return i + 2
end

-- began URL: its request is under way (for an item with `b`).
function results.began(session, i)
    local held = held_by(session, ARGV[i + 1])
    if held and held.flag == 'b' then
        begin_at_pace(host(held.host))
        has_asked(host(held.host))
        held.flag = '-'
        call('HSET', key('held:' .. session), ARGV[i + 1], write_held(held))
    end
    return i + 2
end

-- rules URL MILLISECONDS TEXT: what its host's robots.txt says (for an item with `r`). If
-- there is a delay, the item has `b` from now on, and it, too, has to wait that long.
-- (Or it's given back, and comes out again when it may begin.)
function results.rules(session, i)
    local held = held_by(session, ARGV[i + 1])
    if held and held.flag == 'r' then
        local h = host(held.host)
        if h.gate == ASKING then h.gate = OPEN end -- it may have ended
        h.delay = tonumber(ARGV[i + 2]) * 1000
        has_asked(h)
        held.flag = '-'
        if h.gate == OPEN and goes_step_by_step(h) then h.gate, held.flag = TO_BEGIN, 'b' end
        note_first(h)
        call('HSET', key('held:' .. session), ARGV[i + 1], write_held(held))
        call('HSET', key('rules'), held.host, ARGV[i + 3])
        call('HSET', key('ruled'), held.host, int(M.clock))
    end
    return i + 4
end

-- hold HOST MILLISECONDS: leave it alone for that long. Processes may have URLs of it ahead,
-- so the answers say how many holds there have been.
function results.hold(_, i)
    hold(host(ARGV[i + 1]), tonumber(ARGV[i + 2]))
    M.holds = M.holds + 1
    return i + 3
end

-- The host is held, and if the session holds that URL, and its request has begun, `note` gets
-- to know. Returns what is held.
local function take_refusal(session, i, note)
    local h = host(ARGV[i + 1])
    if gives_ahead(h) then M.holds = M.holds + 1 end
    hold(h, tonumber(ARGV[i + 3]))
    local held = held_by(session, ARGV[i + 2])
    if not held or held.flag ~= '-' then return nil end
    note(h, tonumber(held.epoch))
    return h
end

-- refused HOST URL MILLISECONDS: it has refused this URL, and is to be left alone for that
-- long. If it does nothing else, it ends.
function results.refused(session, i)
    local h = take_refusal(session, i, note_refused)
    if h and M.clock - tonumber(h.pace.refused_since) >= M.refused_timeout then
        end_host(ARGV[i + 1], h, 'its server has refused everything for '
                                 .. int(M.refused_timeout / 1000000) .. ' s')
    end
    return i + 4
end

-- busy HOST URL MILLISECONDS: the same, but it may be broken.
function results.busy(session, i)
    take_refusal(session, i, note_busy)
    return i + 4
end

-- end HOST REASON: it's asked nothing more.
results['end'] = function(_, i)
    end_host(ARGV[i + 1], host(ARGV[i + 1]), ARGV[i + 2])
    return i + 3
end

-- delay HOST MILLISECONDS: at least that long between two requests.
function results.delay(_, i)
    local h, delay = host(ARGV[i + 1]), tonumber(ARGV[i + 2])
    if delay * 1000 > h.delay then hold(h, delay) end
    h.delay, h.is_changed = delay * 1000, true
    M.holds = M.holds + 1
    return i + 3
end

-- asked HOST: for something that isn't an item.
function results.asked(_, i)
    local h = host(ARGV[i + 1])
    h.next = math.max(h.next, M.clock + delay_of(h))
    h.has_moved, h.is_changed = true, true
    return i + 2
end

-- ---- The operations ----

-- Is there already something that isn't ours? Nothing is undone when a script fails, so
-- look before the first write.
local function find_foreign()
    local kind = call('TYPE', META).ok
    if kind == 'none' then
        for _, name in ipairs({'urls', 'hosts', 'ready', 'parked', 'sessions', 'records',
                               'links', 'rules', 'ruled', 'history', 'inbox', 'outboxes',
                               'suspects', 'given_up', 'met', 'checks', 'ready_abroad',
                               'places', 'ended'}) do
            if call('EXISTS', key(name)) == 1 then return key(name) end
        end
    elseif kind ~= 'hash' or call('HEXISTS', META, 'format') == 0
                             and call('HEXISTS', META, 'begun') == 0 then
        return META
    end
    return nil
end

-- The user may lack permission for some of this script. Redis would stop it half way.
local function find_forbidden()
    if not redis.acl_check_cmd then return nil end -- before Redis 7, there's no way to know
    for _, one in ipairs({'HSET', 'HGET', 'HMGET', 'HGETALL', 'HDEL', 'HEXISTS', 'HINCRBY',
                          'HLEN',
                          'RPUSH', 'LPUSH', 'RPOP', 'LPOP', 'LLEN', 'ZADD', 'ZREM', 'ZRANGE',
                          'ZCARD', 'ZSCORE', 'ZPOPMIN', 'XADD', 'XRANGE', 'XDEL', 'DEL',
                          'EXISTS', 'TYPE', 'TIME'}) do
        local arguments = one == 'TIME' and {} or {META, '0', '0', '0', '0'}
        local known, may = pcall(redis.acl_check_cmd, one, unpack(arguments))
        if known and not may then return one end
    end
    return nil
end

local function make_crawl(settings)
    call('HSET', META, 'format', FORMAT, 'settings', ARGV[3], unpack(settings))
    for _, name in ipairs(COUNTERS) do call('HSET', META, name, '0') end
    local time = call('TIME')
    call('HSET', META, 'seen', int(tonumber(time[1]) * 1000000 + tonumber(time[2])))
    for i = 0, tonumber(ARGV[9]) - 1 do call('DEL', key('outbox:' .. i)) end
end

local operations = {}

-- look FORMAT SETTINGS...: would `open` succeed with the same arguments? Writes nothing.
-- -> {"ok"} or {"settings", theirs}
function operations.look()
    local foreign = find_foreign()
    if foreign then
        return redis.error_reply('FOREIGN ' .. foreign
                                 .. ' is there, and is no crawl of stage3')
    end
    local forbidden = find_forbidden()
    if forbidden then
        return redis.error_reply('NOPERM this user may not call ' .. forbidden)
    end
    local version = read_meta() or FORMAT
    if version ~= ARGV[2] then
        return redis.error_reply('FORMAT the crawl has format ' .. version .. ', and not '
                                 .. ARGV[2])
    end
    local half = find_half()
    if half then return half end
    if M.format and M.settings ~= ARGV[3] then return {'settings', M.settings} end
    return {'ok'}
end

-- open FORMAT SETTINGS LEASE DELAY MAX_PER_HOST MAX_PAGES MAX_LOST SERVERS RULES ORDER
--      FOREIGN_DELAY REFUSED_TIMEOUT NONCE NAME OLD_SESSION N CHUNK*N
-- Creates the crawl if there is none, puts the roots in, begins a session. Times are in
-- microseconds. NONCE: random, in case Redis forgets what it has said. OLD_SESSION: this
-- process's last one, now given up, or empty.
-- -> {"ok", session, state, unfinished...} or {"settings", theirs}
function operations.open()
    local refusal = operations.look()
    if refusal[1] ~= 'ok' then return refusal end
    begin_call()
    if not M.format then
        make_crawl({'lease', ARGV[4], 'delay', ARGV[5], 'max_per_host', ARGV[6],
                    'max_pages', ARGV[7], 'max_lost', ARGV[8], 'servers', ARGV[9],
                    'rules', ARGV[10], 'order', ARGV[11], 'foreign_delay', ARGV[12],
                    'refused_timeout', ARGV[13], 'state', 'running', 'trial', ''})
        read_meta()
    end
    tick()
    if call('ZSCORE', SESSIONS, ARGV[16]) then end_session(ARGV[16], false) end
    reclaim()
    for i = 18, 17 + tonumber(ARGV[17]) do meet_text(ARGV[i], '-') end
    M.new_session = M.new_session + 1
    local session = int(M.new_session) .. '-' .. ARGV[14]
    call('HSET', key('session:' .. session), 'seq', '0', 'name', ARGV[15], 'done', '0')
    call('ZADD', SESSIONS, int(M.clock + M.lease), session)
    note('came', session, 0)
    settle()
    write_hosts()
    note_state()
    write_meta()
    return {'ok', session, unpack(summary())}
end

local function on_trial(session) return M.trial == session and '1' or '0' end

-- This call has the same number as the last one, whose answer was lost. Nothing changes;
-- what was leased under that number is returned again.
local function say_again(session, seq)
    local reply = {'ok', '0', on_trial(session), unpack(summary())}
    local all = call('HGETALL', key('held:' .. session))
    for i = 1, #all, 2 do
        if match(all[i + 1], '^(%d+)') == seq then
            reply[#reply + 1] = all[i]
            reply[#reply + 1] = all[i + 1]
        end
    end
    return reply
end

local function take_results(session, i)
    local done = M.records
    while i <= #ARGV do i = results[ARGV[i]](session, i) end
    in_pieces('HDEL', key('held:' .. session), gone, 1)
    if M.records > done then
        call('HINCRBY', key('session:' .. session), 'done', M.records - done)
    end
end

-- `wanted`: "WANT AHEAD FOREIGN". -> items, and in how many milliseconds to ask again
local function lease_what_is_wanted(session, seq, wanted)
    local want, ahead, foreign = match(wanted, '^(%d+) (%d+) (%d+)$')
    want, ahead, foreign = tonumber(want), tonumber(ahead), tonumber(foreign)
    local room = M.max_pages > 0 and M.max_pages - M.counted - M.held
                 or want + ahead + foreign
    if call('LLEN', LINKS) > JAM then room = 0 end -- first these, then new pages
    local now = math.max(0, math.min(want, room))
    local leased, count = lease(session, seq, now, math.max(0, math.min(ahead, room - now)),
                                foreign, room)
    write_hosts()
    note_state()
    local all = #leased / 2
    if count >= want and all >= count + foreign then return leased, 0 end
    return leased, next_time(session, all < room, count < want, all < count + foreign)
end

-- [step]
-- step SESSION SEQ "WANT AHEAD FOREIGN" RESULT...
-- Takes the results, leases at most WANT items and AHEAD more, for workers that will want
-- them soon (FOREIGN: from foreign hosts), and renews the session's lease.
-- -> {"ok", wait in ms, on trial, state, unfinished..., (URL HELD)...}
-- or {"expired"}: others have what it held.
function operations.step()
    local session, seq = ARGV[2], ARGV[3]
    local last = tonumber(call('HGET', key('session:' .. session), 'seq') or -2)
    local number = tonumber(seq)
    if number ~= last and number ~= last + 1 then return {'expired'} end
    call('ZADD', SESSIONS, int(M.clock + M.lease), session)
    if number == last then return say_again(session, seq) end
    call('HSET', key('session:' .. session), 'seq', seq)
    take_results(session, 5)
    put_links_in()
    put_checks_in()
    reclaim()
    unpark()
    settle()
    local leased, wait = lease_what_is_wanted(session, seq, ARGV[4])
    return append({'ok', int(wait), on_trial(session), unpack(summary())}, leased)
end
-- [/step]

-- close SESSION: gives back what the session holds, and ends it.
function operations.close()
    if not call('ZSCORE', SESSIONS, ARGV[2]) then return {'expired', unpack(summary())} end
    end_session(ARGV[2], false)
    reclaim() -- in case this is the last process
    settle()
    write_hosts()
    note_state()
    return {'ok', unpack(summary())}
end

-- report SESSION: may it write the report? Only one may. -> the session that may
function operations.report()
    if M.reporter then return M.reporter end
    call('HSET', META, 'reporter', ARGV[2])
    return ARGV[2]
end

-- retry: what was given up becomes work again, and its records are withdrawn. The crawl isn't
-- over any more, so there will be another report.
function operations.retry()
    local all = call('HGETALL', GIVEN_UP)
    for i = 1, #all, 2 do
        local id, item = match(all[i + 1], '^(%S+) (.*)$')
        call('XDEL', RECORDS, id)
        call('HSET', URLS, all[i], 'q' .. sub(call('HGET', URLS, all[i]), 2))
        call('ZADD', SUSPECTS, int(M.clock), item)
        if match(item, ' f%a+$') then M.to_follow = M.to_follow + 1 end
    end
    local count = #all / 2
    call('DEL', GIVEN_UP)
    call('HDEL', META, 'reporter')
    for name, change in pairs({records = -1, counted = -1, dead = -1, given_up = -1,
                               retried = 1, unfinished = 1, created = 1}) do
        M[name] = M[name] + change * count
    end
    M.over = 0
    note_state()
    return summary()
end

-- ---- Several servers ----
-- Each server has its own hosts. Links to hosts of other servers go into an outbox, in the
-- same call that finishes their page. From there any process may carry them over. So they
-- arrive exactly once, and at every moment they count as unfinished somewhere.
-- But each server must save what it's told before it answers (appendonly yes, appendfsync
-- always): if one forgets what the others rely on, links are lost.

-- put SOURCE LAST NEW_LAST (PAGE CHUNK)...
-- What server SOURCE's outbox has after entry LAST, up to NEW_LAST.
-- -> the last entry that has come in
function operations.put()
    local last = call('HGET', key('inbox'), ARGV[2]) or '0-0'
    if last ~= ARGV[3] then return last end -- another process was quicker
    for i = 5, #ARGV, 2 do meet_text(ARGV[i + 1], ARGV[2] .. '.' .. ARGV[i]) end
    call('HSET', key('inbox'), ARGV[2], ARGV[4])
    settle()
    write_hosts()
    note_state()
    return ARGV[4]
end

-- sent SERVER LAST: what is in its outbox up to LAST has arrived.
function operations.sent()
    local entries = call('XRANGE', key('outbox:' .. ARGV[2]), '-', ARGV[3])
    for _, entry in ipairs(entries) do
        call('XDEL', key('outbox:' .. ARGV[2]), entry[1])
    end
    if #entries > 0 then call('HSET', key('outboxes'), 'sent:' .. ARGV[2], ARGV[3]) end
    M.unfinished, M.to_follow = M.unfinished - #entries, M.to_follow - #entries
    note_state()
    return summary()
end

-- finish CHECKING: nothing is left anywhere. The caller has asked all servers, twice, how many
-- URLs are unfinished and how many there have ever been. CHECKING: the least of what they say
-- about that. If it's 0, nothing is left to follow, so checking begins; else it's the end.
function operations.finish()
    if M.to_follow == 0 and ARGV[2] == '0' and M.checking == 0 then
        begin_to_check()
    elseif M.unfinished == 0 and ARGV[2] == '1' and M.checking == 1 then
        M.over = 1
    end
    note_state()
    return summary()
end

-- ---- The call ----

local operation = operations[ARGV[1]]
if not operation then return redis.error_reply('ERR no operation ' .. tostring(ARGV[1])) end
if ARGV[1] == 'look' or ARGV[1] == 'open' then return operation() end
if not read_meta() then return redis.error_reply('NOCRAWL there is no crawl ' .. META) end
if M.format ~= FORMAT then
    return redis.error_reply('FORMAT the crawl has format ' .. M.format)
end
local half = find_half()
if half then return half end
begin_call()
tick()
local reply = operation()
write_meta()
return reply

end -- of `run`
return run()
