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

