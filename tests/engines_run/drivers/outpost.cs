// The game of two outposts, as game.py has it.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Bthtn.Outpost;

static class Log
{
    public static readonly List<string> Lines = new List<string>();

    public static void Start(Step step, params object[] args)
    {
        var shown = args.Select(arg => arg == null ? " none" : " " + arg);
        Lines.Add("start " + step.Number + " " + step.Agent + " " + step.Task + string.Join("", shown.ToArray()));
    }

    public static void Abort(Step step)
    {
        Lines.Add("abort " + step.Number + " " + step.Agent + " " + step.Task);
    }
}

class Guard : Ann
{
    public Guard(string name) : base(name)
    {
    }

    public static string Name(Sector? sector)
    {
        return sector == null ? "none" : new[] { "NORTH", "EAST", "SOUTH_EAST" }[(int)sector.Value];
    }

    public override void OnWalk(Step step, (long, long) to, double pace)
    {
        Log.Start(step, to.Item1, to.Item2, (int)(pace * 100));
    }

    public override void OnShoot(Step step, Sector at, Stance how)
    {
        Log.Start(step, Name(at), how == Stance.Standing ? "standing" : "lying down");
    }

    public override void OnCall(Step step, string whom, Sector? about)
    {
        Log.Start(step, whom, Name(about));
    }

    public override void OnReload(Step step)
    {
        Log.Start(step);
    }

    public override void OnLook(Step step)
    {
        Log.Start(step);
    }

    public override void OnAbort(Step step)
    {
        Log.Abort(step);
    }
}

class Flyer : Drone
{
    public override void OnFly(Step step)
    {
        Log.Start(step);
    }

    public override void OnCharge(Step step)
    {
        Log.Start(step);
    }

    public override void OnAbort(Step step)
    {
        Log.Abort(step);
    }
}

static class Game
{
    static int last = 1;

    static int Draw(int below)
    {
        last = (last * 75 + 74) % 65537;
        return last % below;
    }

    static void EndSteps(Character character)
    {
        foreach (var step in character.Open.Values.ToList())
            switch (Draw(6))
            {
                case 0: step.Progress(0.5); break;
                case 1: step.Progress("so, so"); break;
                case 2: case 3: step.Succeed(); break;
                case 4: step.Fail("no \"luck\" ✓"); break;
            }
    }

    static void Play(Guard guard)
    {
        if (Draw(6) == 0) guard.Alarm = Draw(2) == 0;
        if (Draw(6) == 0) guard.Enemy = new Sector?[] { null, Sector.North, Sector.East, Sector.SouthEast }[Draw(4)];
        if (Draw(6) == 0) guard.Watching = (Sector)Draw(3);
        if (Draw(3) == 0) guard.Distance = Draw(20) / 2.0;
        if (Draw(8) == 0) guard.Rounds = Draw(3);
        if (Draw(20) == 0) guard.Forget("rounds");
        if (Draw(8) == 0) guard.Stance = (Stance)Draw(2);
        if (Draw(8) == 0) guard.Post = (Draw(3), 1);
        if (Draw(8) == 0) guard.Trust["Zoë, 2nd"] = Draw(10) / 10.0;
        if (Draw(8) == 0) guard.Seen[("B", Sector.East)] = Draw(2) == 0;
    }

    static Character Settle(Client client, string name)
    {
        return client.Spawn(name, 7, new Guard("Ann"), new Guard("Bob"), new Flyer());
    }

    static void Main()
    {
        var tree = Environment.GetEnvironmentVariable("TREE");
        using (var client = Client.Start(Environment.GetEnvironmentVariable("BTHTN"), "serve " + tree, "walk"))
        {
            client.Warn = Log.Lines.Add;
            client.Hello();
            Settle(client, "post 1");
            Settle(client, "post 2");
            for (var tick = 0; tick < int.Parse(Environment.GetEnvironmentVariable("TICKS")); tick++)
            {
                foreach (var character in client.Characters.Values)
                {
                    Play((Guard)character.Agents[0]);
                    Play((Guard)character.Agents[1]);
                    var drone = (Flyer)character.Agents[2];
                    if (Draw(6) == 0) drone.Charge = Draw(5) / 4.0;
                    if (Draw(6) == 0) drone.Alarm = Draw(2) == 0;
                    EndSteps(character);
                }
                if (tick % 3 == 2)
                    client.Frame(0.25);
                else
                    client.TickAll(0.25);
                foreach (var one in client.Characters.Values)
                {
                    var due = one.Due == null ? "never" : ((int)(one.Due.Value * 1000 + 0.5)).ToString();
                    Log.Lines.Add(string.Join(" ", new object[] { tick, one.Name, one.Tick, one.Status, one.Finished, due }));
                }
                if (tick % 100 == 99)
                {
                    client.Dismiss(client.Characters["post 2"]);
                    Settle(client, "post 2");
                }
            }
        }
        File.WriteAllText(Environment.GetEnvironmentVariable("LOG"), string.Join("\n", Log.Lines.ToArray()) + "\n");
    }
}
